/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, suspicion: scans that are not what they are taken for are refused or warned of, by info and by recon
 * alike; undefined values are told by kind. */
#include "cli.h"
#include "testing_hdf5.h"
#include "testing_tiff.h"

#include <math.h>

/* Number of times that `what` is in the text. */
static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

/* recon works; info and recon warn of this. */
static void assert_warned(const char *directory, const char *warning, const char *arguments)
{
    char line[300];
    snprintf(
        line, sizeof line,
        "recon %s -o out.h5 --rotation-axis 7.5 --algorithm cg --iterations 1 --pictures no --report none --overwrite",
        arguments);
    char *said = cli_output_of(directory, line);
    snprintf(line, sizeof line, "info %s", arguments);
    char *told = cli_output_of(directory, line), expected[300];
    snprintf(expected, sizeof expected, "sinodag: warning: %s", warning);
    if (!strstr(said, expected)) fail_msg("expected '%s' in '%s'", expected, said);
    snprintf(expected, sizeof expected, "\nwarning      %s", warning);
    if (!strstr(told, expected)) fail_msg("expected '%s' in '%s'", expected, told);
    free(said);
    free(told);
}

/* recon refuses this, and info says so. */
static void assert_refused(const char *directory, const char *keys, const char *arguments)
{
    char line[300];
    cli_refuses(directory, keys, "recon %s -o o.h5 --rotation-axis 7.5 --graph graph.dot", arguments);
    snprintf(line, sizeof line, "info %s", arguments);
    char *told = cli_output_of(directory, line);
    const char *const refused = strstr(told, "\nrefused      ");
    if (!refused || !testing_tells(refused, keys)) fail_msg("expected '%s' in '%s'", keys, told);
    free(told);
}

/* Neither info nor recon has anything to say of the scan. */
static void assert_silent(const char *directory, const char *arguments)
{
    char line[300];
    snprintf(
        line, sizeof line,
        "recon %s -o out.h5 --rotation-axis 7.5 --algorithm cg --iterations 1 --pictures no --report none --overwrite",
        arguments);
    char *said = cli_output_of(directory, line);
    snprintf(line, sizeof line, "info %s", arguments);
    char *told = cli_output_of(directory, line);
    if (strstr(said, "warning") || strstr(told, "warning") || strstr(told, "refused"))
        fail_msg("%s: a false alarm in\n%s%s", arguments, said, told);
    free(said);
    free(told);
}

static void angles_in_another_unit(void **state)
{
    const char *const at = *state;
    double radians[12], few[12], same[12];
    float raw[12];
    CliScan scan = cli_scan;
    for (int k = 0; k < 12; k++) radians[k] = M_PI * k / 12;
    for (int k = 0; k < 12; k++) few[k] = 0.2 * k;
    for (int k = 0; k < 12; k++) same[k] = 30;
    for (int k = 0; k < 12; k++) raw[k] = (float)(15 * k);
    cli_write_scan(at, "scan.h5", &scan);
    assert_silent(at, "scan.h5");
    scan.theta = radians;
    cli_write_scan(at, "radians.h5", &scan);
    assert_refused(at, "2.8798 degrees | 180 degrees | --theta-unit | 0:165", "radians.h5");
    assert_silent(at, "radians.h5 --theta 0:165");
    assert_silent(at, "radians.h5 --theta-unit radians");
    cli_write_bytes(at, "theta.bin", raw, sizeof raw);
    assert_refused(at, "9454 degrees | 165 | --theta-unit | 0:165", "scan.h5 --theta theta.bin");
    assert_silent(at, "scan.h5 --theta theta.bin --theta-unit degrees");
    scan.theta = few;
    cli_write_scan(at, "few.h5", &scan);
    assert_warned(at, "the angles cover 2.200 degrees; are they radians that are taken for degrees?", "few.h5");
    assert_warned(at, "the angles cover 11460 degrees; are they degrees that are taken for radians?",
                  "scan.h5 --theta 0:11460");
    assert_silent(at, "scan.h5 --theta 0:10800:excluded"); /* sixty half turns */
    assert_silent(at, "scan.h5 --theta 0:9143.7073");      /* golden: 111.246 degrees and two turns further each */
    assert_silent(at, "scan.h5 --theta 0:360");
    assert_silent(at, "scan.h5 --theta=-60:60"); /* of a sample that hides itself at other angles */
    assert_warned(at, "the angles cover 60.0 degrees; a slice needs about 180,", "scan.h5 --theta 0:60");
    scan.theta = same;
    cli_write_scan(at, "same.h5", &scan);
    assert_refused(at, "12 angles | 30 degrees | --theta 0:180", "same.h5");
}

static void values_of_another_kind(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    assert_warned(at,
                  "the values have a mean of 600 in a sample of the scan, which is much for transmissions; are they "
                  "counts, which need flat fields? (--data counts)",
                  "scan.h5 --data transmission");
    assert_warned(at,
                  "the values have a mean of 600 in a sample of the scan, which is much for line integrals; are they "
                  "counts, which need flat fields? (--data counts)",
                  "scan.h5 --data line-integrals");
    cli_refuses(at, "mean of 600 | transmissions | --data counts | --data transmission",
                "recon scan.h5 -o o.h5 --flat-correction none");
    static float counts[16 * 16], theta[16];
    for (int i = 0; i < 16 * 16; i++) counts[i] = (float)(900 - 400 * (i % 16 > 3 && i % 16 < 12));
    for (int k = 0; k < 16; k++) theta[k] = (float)(M_PI * k / 16);
    cli_write_bytes(at, "raw.bin", counts, sizeof counts);
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    assert_refused(at, "mean of 700 | line integrals | --data counts | --data line-integrals",
                   "raw.bin --theta theta.bin --columns 16");
    char *emission = cli_output_of(at, "recon raw.bin --theta theta.bin --columns 16 -o pet.h5 --rotation-axis 7.5 "
                                       "--iterations 1 --algorithm mlem --pictures no --report none");
    assert_null(strstr(emission, "warning"));
    free(emission);
    for (int i = 0; i < 16 * 16; i++) counts[i] = 900 - counts[i]; /* large, as in units of a simulation */
    cli_write_bytes(at, "raw.bin", counts, sizeof counts);
    assert_silent(at, "raw.bin --theta theta.bin --columns 16");
}

static uint16_t bright(uint64_t angle, uint64_t row, uint64_t column)
{
    return (uint16_t)(3000 + angle + row + column);
}

static uint16_t integrals(uint64_t angle, uint64_t row, uint64_t column)
{
    return (uint16_t)(1 + (angle + row + column) % 2);
}

static uint16_t one_bright(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return (uint16_t)(column == 9 ? 2500 : 500 + angle);
}

/* The edges of the detector see air, whose line integral is 0. */
static uint16_t scaled_integrals(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row;
    return column == 0 || column == 15 ? 0 : 1300;
}

static void columns_that_cannot_be(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    scan.count = one_bright;
    cli_write_scan(at, "bright.h5", &scan);
    const char *warning = "detector columns that are brighter than in the flat fields, unlike those beside them: 1; "
                          "column 9 2.5 times; broken pixels draw rings (--saturation N";
    assert_warned(at, warning, "bright.h5");
    char *told = cli_output_of(at, "info bright.h5 --saturation 2500");
    assert_null(strstr(told, "brighter"));
    free(told);
    scan.count = scaled_integrals;
    cli_write_scan(at, "integrals.h5", &scan);
    assert_warned(at,
                  "the projections have 1.14 of the light of the flat fields, but their outermost columns, where most "
                  "scans see air, 0.00; are their values line integrals already? (--data line-integrals)",
                  "integrals.h5");
}

static void fields_that_do_not_belong(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    scan.flat_count = 100;
    scan.dark_count = 1000;
    cli_write_scan(at, "swapped.h5", &scan);
    assert_refused(at, "flat fields | mean of 100 | dark fields 1000 | brighter | --flats and --darks", "swapped.h5");
    scan = cli_scan;
    scan.count = bright;
    cli_write_scan(at, "bright.h5", &scan);
    assert_warned(at, "the projections are 3.0 times as bright as the flat fields;", "bright.h5");
    scan.count = integrals;
    cli_write_scan(at, "integrals.h5", &scan);
    assert_warned(at, "the projections have 1/7", "integrals.h5");
    scan = cli_scan;
    scan.flats = 0;
    cli_write_scan(at, "flatless.h5", &scan);
    assert_refused(at, "'flatless.h5' | --flats | line-integrals", "flatless.h5");
}

/* Air at the left edge, and nearly none at the right. */
/* A block that moves a little. */
static bool is_block(uint64_t angle, uint64_t column)
{
    return column >= 40 + angle % 5 && column < 88 + angle % 5;
}

static uint16_t with_fringes(uint64_t angle, uint64_t row, uint64_t column)
{
    const bool beside = is_block(angle, column + 2) || is_block(angle, column - 2);
    (void)row;
    return (uint16_t)(is_block(angle, column) ? 300 : beside ? 1150 : 1000);
}

static uint16_t without_fringes(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return is_block(angle, column) ? 300 : 1000;
}

/* Bars, which the rays of the first projection alone run along. */
static uint16_t behind_bars(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    if (!is_block(0, column)) return 1000;
    return (uint16_t)(angle > 0 ? 500 : column % 4 == 0 ? 900 : 300);
}

/* Gaps, which the rays of two projections run along. */
static uint16_t through_gaps(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    if (!is_block(0, column)) return 1000;
    return (uint16_t)((angle == 4 || angle == 20) && column % 6 == 0 ? 900 : 300);
}

/* Zingers in every projection, and in some of them several. */
static uint16_t with_zingers(uint64_t angle, uint64_t row, uint64_t column)
{
    const bool hit = (37 * angle + 11 * row) % 41 == column % 59;
    return hit && is_block(0, column) ? 900 : is_block(0, column) ? 300 : 1000;
}

/* Whether info says a text of 32 projections of 128 columns. */
static void assert_told(const char *directory, uint16_t (*count)(uint64_t, uint64_t, uint64_t), const char *words,
                        const char *text, bool told)
{
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = 32;
    scan.columns = 128;
    scan.count = count;
    cli_write_scan(directory, "scan.h5", &scan);
    char line[200];
    snprintf(line, sizeof line, "info scan.h5 %s", words);
    char *said = cli_output_of(directory, line);
    if ((strstr(said, text) != NULL) != told) fail_msg("%s: '%s' in '%s'", words, text, said);
    free(said);
}

static void fringes_are_told(void **state)
{
    static const char fringes[] = "as fringes of phase contrast are";
    assert_told(*state, with_fringes, "", fringes, true);
    assert_told(*state, with_fringes,
                "--phase-method paganin --delta-beta 9 --energy 20 --propagation-distance 1 --pixel-size 1", fringes,
                false);
    assert_told(*state, without_fringes, "", fringes, false);
}

static void bars_are_no_zingers(void **state)
{
    assert_told(*state, behind_bars, "", "stage        zingers", false);
    assert_told(*state, behind_bars, "--zinger-removal-method standard", "stage        zingers", true);
    assert_told(*state, through_gaps, "", "stage        zingers", false);
    assert_told(*state, with_zingers, "", "stage        zingers", true);
}

static uint16_t air_at_left(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return (uint16_t)(column < 8 ? 5000 : column < 32 ? 2000 + angle : 4500);
}

/* The open beam is what the brightest columns have, in a scan without flat fields, and with a wrong number. */
static void open_beams_are_proposed(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = 20;
    scan.columns = 40;
    scan.flats = scan.darks = 0;
    scan.count = air_at_left;
    cli_write_scan(at, "open.h5", &scan);
    char *told = cli_output_of(at, "info open.h5");
    assert_non_null(strstr(told,
                           "\nwarning      the scan has no flat fields; the outermost columns have 5000 counts at "
                           "most: the open beam, if no ray to them crosses the object (--open-beam 5000)\n"));
    free(told);
    assert_warned(
        at,
        "the outermost columns have 0.62 of the open beam at most; does the object reach beyond both sides of "
        "the detector, or is the open beam too large? (--open-beam 5000)",
        "open.h5 --open-beam 8000");
    assert_warned(
        at,
        "the outermost columns are 1.19 times as bright as the open beam, so that line integrals are too small "
        "by 0.17 or more; is it of another exposure? (--air N: N columns at each side see air; --open-beam "
        "5000)",
        "open.h5 --open-beam 4000");
    told = cli_output_of(at, "info open.h5 --open-beam 5000");
    assert_null(strstr(told, "open beam"));
    free(told);
    scan.columns = 16;
    scan.count = scaled_integrals;
    cli_write_scan(at, "open.h5", &scan);
    told = cli_output_of(at, "info open.h5");
    assert_non_null(strstr(told,
                           "\nwarning      the scan has no flat fields, and a mean of 1.14e+03, but 0 at the edges "
                           "of the detector, as line integrals have (--data line-integrals)\n"));
    free(told);
}

enum { TURN_ANGLES = 90, TURN_COLUMNS = 48 };
static const double turn_deg = 360.0 / TURN_ANGLES, turn_distance = 90; /* in columns, from the source */

/* Counts behind three discs at one degree; the source of a fan is 90 columns from the axis. */
static uint16_t behind_discs(double degrees, double column, bool fan)
{
    static const double disc[][3] = {{0, 2, 13}, {7, -6, 3}, {-9, 3, 2.5}};
    const double tangent = fan ? column / turn_distance : 0, cosine = cos(degrees * M_PI / 180);
    const double sine = sin(degrees * M_PI / 180);
    double length = 0;
    for (int i = 0; i < 3; i++) {
        const double across = disc[i][0] * cosine + disc[i][1] * sine, radius = disc[i][2];
        const double along = turn_distance - disc[i][0] * sine + disc[i][1] * cosine;
        const double off = fan ? (across - along * tangent) / sqrt(1 + tangent * tangent) : across - column;
        length += 2 * sqrt(fmax(0, radius * radius - off * off));
    }
    return (uint16_t)(20000 * exp(-0.05 * length));
}

static uint16_t turn_of_fan(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return behind_discs(turn_deg * (double)angle, (double)column - 23.5, true);
}

static uint16_t turn_the_other_way(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return behind_discs(-turn_deg * (double)angle, (double)column - 23.5, true);
}

static uint16_t turn_of_parallel_rays(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)row;
    return behind_discs(turn_deg * (double)angle, (double)column - 23.5, false);
}

/* A verb says this of a scan; NULL: nothing of rays. */
static void assert_beam(const char *at, const char *verb, const char *expected, const char *scan)
{
    CliRun run = {.directory = at};
    cli_start(&run, verb, scan);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const char *told = *verb == 'i' ? run.out : run.err;
    if (expected ? !strstr(told, expected) : strstr(told, "rays and their reverses") != NULL)
        fail_msg("%s: expected '%s' in '%s'", scan, expected ? expected : "nothing", told);
    cli_free(&run);
}

/* Rays and their reverses in a whole turn tell parallel rays, a fan, and its direction of turning. */
static void beams_that_do_not_fit(void **state)
{
#define TURN "--theta 0:360:excluded"
#define FAN  " --geometry cone --source-object-distance 90 --detector-pixel 1 --source-detector-distance "
#define ONCE " -o out.h5 --rotation-axis 23.5 --algorithm cg --iterations 1 --pictures no --report none --overwrite"
    const char *const at = *state;
    const char as_parallel[] = "is it one? (--geometry cone --detector-pixel 1 --source-detector-distance 9";
    CliScan scan = cli_scan;
    scan.angles = TURN_ANGLES;
    scan.theta_count = 0;
    scan.rows = 1;
    scan.columns = TURN_COLUMNS;
    scan.flat_count = 20000;
    scan.dark_count = 0;
    scan.count = turn_of_fan;
    cli_write_scan(at, "fan.h5", &scan);
    scan.count = turn_the_other_way;
    cli_write_scan(at, "other.h5", &scan);
    scan.count = turn_of_parallel_rays;
    cli_write_scan(at, "parallel.h5", &scan);
    assert_beam(at, "info %s", as_parallel, "fan.h5 " TURN);
    assert_beam(at, "init %s -o -", as_parallel, "fan.h5 " TURN);
    assert_beam(at, "recon %s" ONCE, as_parallel, "fan.h5 " TURN);
    assert_beam(at, "info %s", "(--geometry cone --angle-direction counterclockwise --detector-pixel 1 --source-",
                "other.h5 " TURN);
    assert_beam(at, "info %s", NULL, "parallel.h5 " TURN);
    assert_beam(at, "info %s", NULL, "fan.h5 --theta 0:200"); /* no whole turn */
    assert_beam(at, "info %s", NULL, "fan.h5 " TURN FAN "90");
    assert_beam(at, "info %s", "the sample turns counterclockwise: rays and their reverses", "other.h5 " TURN FAN "90");
    assert_beam(at, "info %s", "does it? (--angle-direction counterclockwise)",
                "other.h5 --angle-direction clockwise " TURN FAN "90");
    assert_beam(at, "recon %s" ONCE, "as parallel rays; is the beam parallel? (--geometry parallel)",
                "parallel.h5 " TURN FAN "90");
    assert_beam(at, "info %s", " instead of 300; are --source-detector-distance and --detector-pixel right?",
                "fan.h5 " TURN FAN "300");
#undef TURN
#undef FAN
#undef ONCE
}

static uint16_t nothing(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row, (void)column;
    return 0;
}

static void scans_without_values(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    float none[16 * 16], theta[16];
    scan.count = nothing;
    cli_write_scan(at, "zero.h5", &scan);
    assert_refused(at, "every value | sample | 0 | a scan with values", "zero.h5");
    for (int i = 0; i < 16 * 16; i++) none[i] = NAN;
    for (int k = 0; k < 16; k++) theta[k] = (float)(M_PI * k / 16);
    cli_write_bytes(at, "nan.bin", none, sizeof none);
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    assert_refused(at, "every value | sample | NaN or infinite | a scan with values",
                   "nan.bin --theta theta.bin --columns 16");
    for (int i = 0; i < 16 * 16; i++) none[i] = 0;
    cli_write_bytes(at, "nan.bin", none, sizeof none);
    assert_refused(at, "every value | sample | 0 | a scan with values", "nan.bin --theta theta.bin --columns 16");
}

enum { FAULTY_ANGLES = 40, FAULTY_ROWS = 300 };

/* Projections 3, 7 and 8 and columns 5, 6 and 12 without a count, and some pixels. */
static uint16_t faulty(uint64_t angle, uint64_t row, uint64_t column)
{
    const bool dropped = angle == 3 || angle == 7 || angle == 8, dead = column == 5 || column == 6 || column == 12;
    if (row < 5 && column == row && angle == 20) return UINT16_MAX;
    return dropped || dead ? 0 : (uint16_t)(400 + 10 * column);
}

/* One line per kind, whatever the number of rows. */
static void faults_are_told_by_number(void **state)
{
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = FAULTY_ANGLES;
    scan.rows = FAULTY_ROWS;
    scan.count = faulty;
    cli_write_scan(*state, "scan.h5", &scan);
    char *cg = cli_output_of(
        *state, "recon scan.h5 -o cg.h5 --rotation-axis 7.5 --algorithm cg --iterations 1 --max-repaired 0.3");
    assert_int_equal(count_of(cg, "warning"), 3);
    assert_non_null(strstr(cg,
                           "sinodag: warning: projections without any value: 3 of 40, they have weight 0; number 3, "
                           "7 to 8\n"));
    assert_non_null(strstr(cg, "sinodag: warning: detector columns without any value: 3 of 16, they have weight 0; "
                               "column 5 to 6, 12\n"));
    assert_non_null(strstr(cg, "sinodag: warning: 5 other undefined values in 5 of 300 slices have weight 0\n"));
    free(cg);
    char *fbp = cli_output_of(*state, "recon scan.h5 -o fbp.h5 --rotation-axis 7.5 --algorithm fbp --max-repaired 0.3 "
                                      "--start-column 2 --saturation 0");
    if (count_of(fbp, "warning") != 2) fail_msg("%s", fbp);
    assert_non_null(strstr(fbp, "projections without any value: 3 of 40, they are left out; number 3, 7 to 8\n"));
    assert_non_null(strstr(fbp, "detector columns without any value: 3 of 14, they are interpolated; column 5 to 6, "
                                "12\n"));
    free(fbp);
}

/* Projections 10 to 14 have no light. */
static uint16_t stopped(uint64_t angle, uint64_t row, uint64_t column)
{
    return angle >= 10 && angle < 15 ? 0 : (uint16_t)(400 + (angle * 7 + row * 31 + column * 13) % 200);
}

/* Direct methods give what they give without such projections: the neighbours stand for their angles. */
static void dropped_projections_are_left_out(void **state)
{
    enum { SIDE = 16, SLICES = 3 };
    static const char *const options[] = {"--algorithm fbp",
                                          "--geometry cone --source-object-distance 200 --source-detector-distance 300 "
                                          "--detector-pixel 1.5 --algorithm fdk"};
    const char *const at = *state;
    double theta[FAULTY_ANGLES];
    CliScan scan = cli_scan;
    for (int k = 0; k < FAULTY_ANGLES; k++) theta[k] = 360.0 * k / FAULTY_ANGLES;
    scan.angles = scan.theta_count = FAULTY_ANGLES;
    scan.theta = theta;
    scan.rows = SLICES;
    scan.count = stopped;
    cli_write_scan(at, "scan.h5", &scan);
    for (int i = 0; i < 2; i++) {
        cli_works(at, "recon scan.h5 -o all.h5 --overwrite --rotation-axis 7.5 %s", options[i]);
        cli_works(at, "recon scan.h5 -o part.h5 --overwrite --rotation-axis 7.5 %s --exclude 10:15", options[i]);
        float *all = cli_read_volume(at, "all.h5", SLICES, SIDE), *part = cli_read_volume(at, "part.h5", SLICES, SIDE);
        const double difference = cli_difference((int64_t)SLICES * SIDE * SIDE, all, part);
        if (difference > 1e-5) fail_msg("%s: %g", options[i], difference);
        free(all);
        free(part);
    }
}

/* Rows without counts, between those of the sample. */
static uint16_t hidden(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle;
    return (row >= 12 && row < 28) || (row >= 32 && row < 48) ? 0 : (uint16_t)(400 + 10 * column);
}

static uint16_t half_dark(uint64_t angle, uint64_t row, uint64_t column)
{
    (void)angle, (void)row;
    return column < 8 ? 0 : (uint16_t)(400 + 10 * column);
}

static void many_undefined_values_are_refused(void **state)
{
    const char *const at = *state;
    static const char advice[] = "--start-row, --end-row, --start-column and --end-column for the part with values, "
                                 "--data line-integrals if the "
                                 "values are no counts, or a larger --max-repaired";
    char message[500];
    CliScan scan = cli_scan;
    scan.count = half_dark;
    cli_write_scan(at, "half.h5", &scan);
    snprintf(message, sizeof message, "50.0 %% | undefined | up to 20 %% | --max-repaired 0.2 | %s", advice);
    assert_refused(at, message, "half.h5");
    cli_works(at, "recon half.h5 -o half_out.h5 --rotation-axis 7.5 --algorithm cg --iterations 1 --max-repaired 0.5");
    cli_works(at, "recon half.h5 -o crop.h5 --rotation-axis 11.5 --algorithm cg --iterations 1 --start-column 8");
    scan.rows = 60;
    scan.count = hidden;
    cli_write_scan(at, "hidden.h5", &scan);
    char *names = cli_listing(at);
    CliRun run = {.directory = at};
    cli_start(&run, "recon hidden.h5 -o o.h5 --rotation-axis 7.5 --algorithm cg --iterations 1");
    cli_wait(&run);
    snprintf(message, sizeof message, "53.3 %% | undefined | up to 20 %% | --max-repaired 0.2 | %s", advice);
    cli_assert_ended(&run, 2, message);
    char *after = cli_listing(at);
    assert_string_equal(after, names);
    free(names);
    free(after);
}

/* A scan of floats with one value that is not its own: of the data, a flat or a dark field. */
enum { FLOAT_ANGLES = 24, FLOAT_ROWS = 4, FLOAT_COLUMNS = 16, FLOAT_FIELDS = 2 };
enum { FLOAT_PIXELS = FLOAT_ROWS * FLOAT_COLUMNS, ABSURD_PIXEL = 2 * FLOAT_COLUMNS + 6 };

static void write_floats(const char *directory, const char *name, bool integrals, int of, float value)
{
    static float data[FLOAT_ANGLES * FLOAT_PIXELS], flat[FLOAT_FIELDS * FLOAT_PIXELS],
        dark[FLOAT_FIELDS * FLOAT_PIXELS];
    static const char *const names[] = {"/exchange/data", "/exchange/data_white", "/exchange/data_dark"};
    float *const values[] = {data, flat, dark};
    char path[TESTING_PATH];
    for (int i = 0; i < FLOAT_ANGLES * FLOAT_PIXELS; i++) {
        const float path_length = 1 + 0.1F * (float)(i % FLOAT_COLUMNS) + 0.001F * (float)(i % 17);
        data[i] = integrals ? path_length : 100 + 900 * expf(-path_length);
    }
    for (int i = 0; i < FLOAT_FIELDS * FLOAT_PIXELS; i++) {
        flat[i] = 1000;
        dark[i] = 100;
    }
    if (value != 0) values[of][(of == 0 ? 5 * FLOAT_PIXELS : 0) + ABSURD_PIXEL] = value;
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    for (int i = 0; i < (integrals ? 1 : 3); i++)
        testing_hdf5_dataset(file,
                             &(TestingDataset){.name = names[i],
                                               .file_type = H5T_IEEE_F32LE,
                                               .memory_type = H5T_NATIVE_FLOAT,
                                               .rank = 3,
                                               .size = {i ? FLOAT_FIELDS : FLOAT_ANGLES, FLOAT_ROWS, FLOAT_COLUMNS},
                                               .values = values[i]});
    testing_hdf5_close(file);
}

/* The volume of a scan of floats, of which `undefined` values are told in one line. */
static float *volume_of_floats(const char *directory, const char *scan, const char *options, int undefined)
{
    char line[300], told[100];
    snprintf(
        line, sizeof line,
        "recon %s -o v.h5 --theta 0:180 --rotation-axis 7.5 --pictures no --report none --overwrite --workers 1 %s",
        scan, options);
    char *said = cli_output_of(directory, line);
    snprintf(told, sizeof told, "warning: %d undefined value%s in 1 of 4 slices ", undefined,
             undefined == 1 ? "" : "s");
    if (count_of(said, told) != (undefined > 0) || count_of(said, "undefined value") != (undefined > 0))
        fail_msg("expected '%s' in '%s'", told, said);
    free(said);
    return cli_read_volume(directory, "v.h5", FLOAT_ROWS, FLOAT_COLUMNS);
}

/* A value that no detector sees is left out of the volume, as if it was NaN: a pixel of one projection, of the flat or
 * of the dark field, in which all projections lack a value; counts and line integrals. */
static void absurd_values_are_left_out(void **state)
{
    static const float absurd[] = {1e38F, 1e7F, 1e30F, -1e38F};
    static const char *const options[] = {"--algorithm fbp", "--algorithm cg --iterations 3",
                                          "--algorithm fista --iterations 3 --regularization 0.1"};
    char line[200];
    for (int kind = 0; kind < 4; kind++) { /* of the data, flat, dark; of line integrals */
        const bool integrals = kind == 3;
        for (int i = kind % 2; i < 4; i += 2) {
            const char *const option = options[(kind + i) % 3];
            snprintf(line, sizeof line, "%s%s", option, integrals ? " --data line-integrals" : "");
            const float value = integrals && i == 1 ? 600 : absurd[i]; /* the level is 4 */
            write_floats(*state, "absurd.h5", integrals, integrals ? 0 : kind, value);
            write_floats(*state, "nan.h5", integrals, integrals ? 0 : kind, NAN);
            const int told = kind == 0 || integrals ? 1 : FLOAT_ANGLES;
            float *found = volume_of_floats(*state, "absurd.h5", line, told);
            if (kind == 0 || integrals) { /* of fields, the mean leaves out NaN */
                float *wanted = volume_of_floats(*state, "nan.h5", line, 1);
                assert_memory_equal(found, wanted, FLOAT_ROWS * FLOAT_COLUMNS * FLOAT_COLUMNS * sizeof *found);
                free(wanted);
            }
            for (int v = 0; v < FLOAT_ROWS * FLOAT_COLUMNS * FLOAT_COLUMNS; v++) assert_true(fabsf(found[v]) < 10);
            free(found);
        }
    }
}

static void widths_that_cannot_be(void **state)
{
    const char *const at = *state;
    cli_write_disks(at, 180, M_PI, 30, 20, 12);
    assert_silent(at, "disks.bin --theta disks_theta.bin --columns 64");
    char *half = cli_output_of(at, "info disks.bin --theta disks_theta.bin --columns 32");
    assert_non_null(strstr(half,
                           "\nwarning      a projection is less like the next one than like the one 2 further on; are "
                           "there 64 columns? (--columns 64)\n"));
    free(half);
    float theta[90];
    for (int k = 0; k < 90; k++) theta[k] = (float)(M_PI * k / 90);
    cli_write_bytes(at, "half_theta.bin", theta, sizeof theta);
    char *twice = cli_output_of(at, "info disks.bin --theta half_theta.bin --columns 128");
    assert_non_null(strstr(twice,
                           "\nwarning      every projection looks like 2 alike side by side; are there 64 columns? "
                           "(--columns 64)\n"));
    free(twice);
}

/* Nothing is wrong with these, once the light of the last one is known, which was weaker than in its flat field. */
/* A parallel scan, a fan and a cone, with their beam and with others. */
static void measured_beams(void **state)
{
#define MACHINE "--geometry cone --source-object-distance 410.66 --source-detector-distance 553.74 --detector-pixel "
    static const char *const info[][3] = {
        {"rings/sinogram_360_neutron_image.tif", "--theta 0:360 --axes row,angle,column --open-beam 47600", NULL},
        {"htc2022-fan/ta.h5", "--data line-integrals", "--geometry cone --detector-pixel 1 --source-detector-distance"},
        {"htc2022-fan/ta.h5", "--data line-integrals " MACHINE "0.2", NULL},
        {"htc2022-fan/solid_disc.h5", "--data line-integrals", NULL}, /* a disc on the axis does not tell */
        {"htc2022-fan/solid_disc.h5", "--data line-integrals " MACHINE "0.2", NULL},
        {"pepper-cone/*.tif", "--theta 0:360 --open-beam 2160", "--geometry cone --detector-pixel 1 --source-"},
        {"pepper-cone/*.tif", "--theta 0:360 --open-beam 2160 " MACHINE "0.8", NULL},
        {"pepper-cone/*.tif", "--theta 0:360 --open-beam 2160 --angle-direction counterclockwise " MACHINE "0.8",
         "--angle-direction clockwise"},
        {"pepper-cone/*.tif", "--theta 0:360 --open-beam 2160 " MACHINE "0.4", "before the detector instead of 1384"}};
#undef MACHINE
    char folder[TESTING_PATH], line[2 * TESTING_PATH];
    testing_data(folder, "htc2022-fan");
    for (size_t i = 0; i < sizeof info / sizeof *info; i++) {
        snprintf(line, sizeof line, "info %s/../%s %s", folder, info[i][0], info[i][1]);
        char *told = cli_output_of(*state, line);
        const char *found = strstr(told, "rays and their reverses");
        const bool right = found ? info[i][2] && strstr(found, info[i][2]) : !info[i][2];
        if (!right) fail_msg("%s:\n%s", line, told);
        free(told);
    }
}

static void measured_scans(void **state)
{
    static const char *const sets[][2] = {
        {"tooth/tooth.h5", "--rotation-axis 296"},
        {"memxct/ADS1_sinogram.bin", "--columns 256 --rotation-axis 127.5 --theta"},
        {"memxct/CDS1_sinogram.bin", "--columns 512 --rotation-axis 255.5 --end-row 1 --theta"},
        {"savu-24737/tiffs", "--rotation-axis 86 --end-row 4 --air 8 --theta"}};
    static const char *const theta[] = {"", "memxct/ADS1_theta.bin", "memxct/CDS1_theta.bin", "savu-24737/angles.txt"};
    static const char *const more[] = {"", "", "", "[10:101]"};
    char scan[TESTING_PATH], angles[TESTING_PATH], flat[TESTING_PATH], dark[TESTING_PATH];
    for (int i = 0; i < 4; i++) {
        CliRun run = {.directory = *state};
        const bool images = strncmp(sets[i][0], "savu", 4) == 0;
        testing_data(scan, sets[i][0]);
        cli_start(&run,
                  "recon %s -o o.h5 --algorithm cg --iterations 1 --pictures no --report none --overwrite "
                  "--remove-stripe-method none "
                  "--zinger-removal-method none %s%s%s%s%s%s%s%s",
                  scan, sets[i][1], *theta[i] ? " " : "", *theta[i] ? testing_data(angles, theta[i]) : "", more[i],
                  images ? " --flats " : "", images ? testing_data(flat, "savu-24737/flat_00001.tiff") : "",
                  images ? " --darks " : "", images ? testing_data(dark, "savu-24737/dark_00001.tiff") : "");
        cli_wait(&run);
        /* A pixel of the flat field of the images is 0 in row 0. */
        const int undefined = images ? count_of(run.err, "warning: 91 undefined values in 1 of 4 slices") : 0;
        if (run.exit_code != 0 || count_of(run.err, "warning") != undefined)
            fail_msg("%s: exit code %d\n%s", sets[i][0], run.exit_code, run.err);
        cli_free(&run);
    }
}

int cli_suspicion_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(open_beams_are_proposed),
        CLI_TEST(beams_that_do_not_fit),
        CLI_TEST(angles_in_another_unit),
        CLI_TEST(values_of_another_kind),
        CLI_TEST(fields_that_do_not_belong),
        CLI_TEST(scans_without_values),
        CLI_TEST(faults_are_told_by_number),
        CLI_TEST(dropped_projections_are_left_out),
        CLI_TEST(many_undefined_values_are_refused),
        CLI_TEST(widths_that_cannot_be),
        CLI_TEST(measured_beams),
        CLI_TEST(measured_scans),
        CLI_TEST(columns_that_cannot_be),
        CLI_TEST(absurd_values_are_left_out),
        CLI_TEST(fringes_are_told),
        CLI_TEST(bars_are_no_zingers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
