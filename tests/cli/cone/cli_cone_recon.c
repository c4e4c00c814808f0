/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, reconstruction of cone beams: the volume does not depend on workers, policies, memory or symmetry, nor
 * on a kill; undefined values are told once; real scans. */
#include "cli.h"

#include <math.h>
#include <signal.h>

enum { COLUMNS = 48, ROWS = 40, ANGLES = 64, SIDE = 40, SLICES = 96 };

/* Rows 3 to 5 of column 7, and projection 11, have no light. */
static uint16_t count(uint64_t angle, uint64_t row, uint64_t column)
{
    if ((column == 7 && row >= 3 && row <= 5) || angle == 11) return 0;
    return (uint16_t)(300 + (angle * 131 + row * 71 + column * 37) % 400);
}

static void write_scan(const char *directory)
{
    double theta[ANGLES];
    CliScan scan = cli_scan;
    for (int k = 0; k < ANGLES; k++) theta[k] = 360.0 * k / ANGLES;
    scan.angles = scan.theta_count = ANGLES;
    scan.theta = theta;
    scan.rows = ROWS;
    scan.columns = COLUMNS;
    scan.count = count;
    cli_write_scan(directory, "scan.h5", &scan);
}

#define CONE                                                                                                           \
    "recon scan.h5 --geometry cone --source-object-distance 200 --source-detector-distance 300 --detector-pixel 1.5 "  \
    "--rotation-axis 23.5 --volume 40x40x96 --algorithm fdk --overwrite "

static float *read_voxels(const char *directory, const char *name)
{
    const int64_t size[] = {SLICES, SIDE, SIDE};
    double *voxel = cli_read_doubles(directory, name, "/exchange/data", 3, size);
    float *result = malloc(sizeof *result * SLICES * SIDE * SIDE);
    assert_non_null(result);
    for (int64_t i = 0; i < (int64_t)SLICES * SIDE * SIDE; i++) result[i] = (float)voxel[i];
    free(voxel);
    return result;
}

/* Reconstructs, and compares the volume with that of scan.h5 in plain.h5; returns the relative difference. */
static double difference_of(const char *directory, const char *options)
{
    cli_works(directory, CONE "-o other.h5%s%s", *options ? " " : "", options);
    float *plain = read_voxels(directory, "plain.h5"), *other = read_voxels(directory, "other.h5");
    const double difference = cli_difference((int64_t)SLICES * SIDE * SIDE, other, plain);
    free(plain);
    free(other);
    return difference;
}

static void the_same_bits_for_any_schedule(void **state)
{
    static const char *const options[] = {"--workers 1", "--workers 2", "--scheduler eager", "--scheduler prio",
                                          "--scheduler dmda"};
    write_scan(*state);
    cli_works(*state, CONE "-o plain.h5");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (difference_of(*state, options[i]) != 0) fail_msg("%s: other bits", options[i]);
}

static void the_same_to_rounding_for_any_kernel(void **state)
{
    write_scan(*state);
    cli_works(*state, CONE "-o plain.h5");
    assert_true(difference_of(*state, "--symmetry no") < 2e-6);
    const double mixed = difference_of(*state, "--precision mixed");
    print_message("mixed: %.2g\n", mixed);
    assert_true(mixed > 0 && mixed < 1e-3);
}

/* The last number in the line that begins so. */
static int64_t passes_of(const char *err)
{
    return (int64_t)cli_number_after(err, "passes over the projections: ", NULL);
}

/* The least memory of a run, in MiB. */
static int least_memory(const char *directory)
{
    CliRun run = {.directory = directory};
    cli_start(&run, CONE "-o other.h5 --memory 1MiB");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const double least = cli_number_after(run.err, "; allowed: --memory ", NULL);
    cli_free(&run);
    return (int)least;
}

static char *undefined_lines(const char *err)
{
    char *lines = calloc(strlen(err) + 2, 1);
    assert_non_null(lines);
    for (const char *line = err; *line;) {
        const size_t length = strcspn(line, "\n");
        if (memmem(line, length, "undefined values in", 19) || memmem(line, length, "without any value", 17))
            strncat(strncat(lines, line, length), "\n", 2);
        line += length + (line[length] == '\n');
    }
    return lines;
}

/* With less memory, the projections pass more often. Each undefined value is counted once nevertheless. */
static void passes_change_nothing_but_rounding(void **state)
{
    const char *const at = *state;
    const int64_t row_count = ROWS;
    int64_t most = 0;
    write_scan(at);
    CliRun run = {.directory = at};
    cli_start(&run, CONE "-o plain.h5");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_int_equal(passes_of(run.err), 1);
    char *undefined = undefined_lines(run.err);
    assert_non_null(strstr(undefined, "projections without any value: 1 of 64, they are left out; number 11"));
    assert_non_null(strstr(undefined, "other undefined values in 3 of 40 detector rows were interpolated"));
    cli_free(&run);
    double *repaired = cli_read_doubles(at, "plain.h5", "/process/repaired", 1, &row_count);
    const int least = least_memory(at);
    for (int memory = least; memory < least + 3; memory++) {
        char options[40];
        snprintf(options, sizeof options, "--memory %dMiB", memory);
        assert_true(difference_of(at, options) < 1e-6);
        cli_start(&run, CONE "-o other.h5 %s", options);
        cli_wait(&run);
        char *told = undefined_lines(run.err);
        assert_string_equal(told, undefined);
        free(told);
        if (passes_of(run.err) > most) most = passes_of(run.err);
        cli_free(&run);
        double *again = cli_read_doubles(at, "other.h5", "/process/repaired", 1, &row_count);
        assert_memory_equal(again, repaired, sizeof *again * ROWS);
        free(again);
    }
    assert_true(most > 1);
    free(undefined);
    free(repaired);
}

/* Runs that are killed after they have stored some images go on, and end with the same files. */
static void a_killed_run_goes_on(void **state)
{
    const char *const at = *state;
    int kills = 0;
    write_scan(at);
    const int memory = least_memory(at);
    CliRun run = {.directory = at};
    cli_start(&run, CONE "-o plain.h5 --memory %dMiB", memory);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    char *undefined = undefined_lines(run.err);
    cli_free(&run);
    for (int64_t bytes = 2500;; bytes += 3000) {
        cli_start(&run, CONE "-o other.h5 --memory %dMiB --resume", memory);
        (void)cli_await_size(&run, "other.h5.journal", bytes);
        kill(run.pid, SIGKILL);
        cli_wait(&run);
        if (run.exit_code == 0) break;
        assert_int_equal(run.exit_code, -SIGKILL);
        cli_free(&run);
        kills++;
    }
    assert_true(kills > 0);
    assert_non_null(strstr(run.err, " of 96 slices are complete, from an unfinished run"));
    char *told = undefined_lines(run.err);
    assert_string_equal(told, undefined);
    free(told);
    free(undefined);
    cli_free(&run);
    float *plain = read_voxels(at, "plain.h5"), *other = read_voxels(at, "other.h5");
    assert_memory_equal(plain, other, sizeof *plain * SLICES * SIDE * SIDE);
    free(plain);
    free(other);
    static const char *const picture[] = {"slice_00048", "xz_00020", "yz_00020", "sinogram_00020"};
    for (size_t i = 0; i < sizeof picture / sizeof *picture; i++) {
        char a[TESTING_PATH], b[TESTING_PATH], from[64], to[64];
        snprintf(from, sizeof from, "plain_%s.png", picture[i]);
        snprintf(to, sizeof to, "other_%s.png", picture[i]);
        assert_int_equal(cli_tool("cmp", testing_path(a, at, from), testing_path(b, at, to)), 0);
    }
}

/* A slice of `try` is the middle one of a volume with an odd number of slices. */
static void try_is_the_middle_slice(void **state)
{
    const char *const at = *state;
    write_scan(at);
    cli_works(at, "recon scan.h5 --geometry cone --source-object-distance 200 --source-detector-distance 300 "
                  "--detector-pixel 1.5 --rotation-axis 23 --volume 40x40x3 --algorithm fdk -o three.h5");
    cli_works(
        at, "recon scan.h5 --geometry cone --source-object-distance 200 --source-detector-distance 300 "
            "--detector-pixel 1.5 --rotation-axis 23 --volume 40x40x3 --algorithm fdk -o try --reconstruction-type try "
            "--center-search-width 1 --center-search-step 1");
    float *three = cli_read_volume(at, "three.h5", 3, SIDE),
          *middle = cli_read_tiff(at, "try/recon_00023.00.tiff", SIDE);
    assert_true(cli_difference((int64_t)SIDE * SIDE, middle, three + (size_t)SIDE * SIDE) < 1e-6);
    assert_true(cli_exists(at, "try/recon_00022.00.tiff") && cli_exists(at, "try/recon_00024.00.tiff"));
    free(three);
    free(middle);
}

/* The slice of each value is that of a run with it. */
static void values_are_tried(void **state)
{
    static const char *const ways[] = {"clockwise", "counterclockwise"};
    const char *const at = *state;
    float *tried[2];
    cli_works(at, "phantom --geometry cone -o c.h5 --size 40 --angles 48");
    cli_works(at, "recon c.h5 --geometry cone --algorithm fdk -o try --reconstruction-type try --rotation-axis 19.5 "
                  "--sweep angle-direction=clockwise,counterclockwise");
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "try/angle-direction_%s.tiff", ways[i]);
        tried[i] = cli_read_tiff(at, name, SIDE);
        cli_works(at,
                  "recon c.h5 --geometry cone --algorithm fdk -o one --overwrite --reconstruction-type try "
                  "--rotation-axis 19.5 --center-search-width 0.1 --angle-direction %s",
                  ways[i]);
        float *alone = cli_read_tiff(at, "one/recon_00019.50.tiff", SIDE);
        assert_memory_equal(tried[i], alone, sizeof *alone * SIDE * SIDE);
        free(alone);
    }
    assert_true(cli_difference((int64_t)SIDE * SIDE, tried[1], tried[0]) > 0.1);
    free(tried[0]);
    free(tried[1]);
}

/* The published image of a fan beam that was measured (Helsinki Tomography Challenge 2022), after its scale. */
static void measured_fan_beams_are_as_published(void **state)
{
    enum { SIZE = 512 };
    static const char *const name[] = {"ta", "solid_disc"};
    for (int s = 0; s < 2; s++) {
        char file[64], scan[TESTING_PATH], published[TESTING_PATH];
        snprintf(file, sizeof file, "htc2022-fan/%s.h5", name[s]);
        testing_data(scan, file);
        snprintf(file, sizeof file, "htc2022-fan/%s_fbp.npy", name[s]);
        testing_data(published, file);
        cli_works(*state,
                  "recon %s -o fan.h5 --overwrite --geometry cone --source-object-distance 410.66 "
                  "--source-detector-distance 553.74 --detector-pixel 0.2 --rotation-axis 279.5 --data line-integrals "
                  "--volume 512x512x1 --algorithm fdk",
                  scan);
        float *image = cli_read_volume(*state, "fan.h5", 1, SIZE), *other = malloc(sizeof *other * SIZE * SIZE);
        FILE *npy = fopen(published, "rb");
        assert_true(npy && other);
        assert_int_equal(fseek(npy, -(long)(sizeof *other * SIZE * SIZE), SEEK_END), 0);
        assert_int_equal(fread(other, sizeof *other, (size_t)SIZE * SIZE, npy), SIZE * SIZE);
        fclose(npy);
        double cross = 0, square = 0, error = 0, norm = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < SIZE * SIZE; i++) {
                const double x = i % SIZE - 255.5, y = i / SIZE - 255.5, a = (double)image[i],
                             b = (double)other[i % SIZE * SIZE + i / SIZE]; /* column after column */
                if (x * x + y * y > 256 * 256) continue;
                cross += pass == 0 ? a * b : 0;
                square += pass == 0 ? a * a : 0;
                error += pass == 1 ? (a * cross / square - b) * (a * cross / square - b) : 0;
                norm += pass == 1 ? b * b : 0;
            }
        print_message("%s: %.3f %% from the published image\n", name[s], 100 * sqrt(error / norm));
        assert_true(sqrt(error / norm) < 0.01);
        free(image);
        free(other);
    }
}

/* A pepper: its wall is bright, the hollow inside dark, and the axis is found. */
static void a_measured_pepper_is_hollow(void **state)
{
    char scan[TESTING_PATH];
    testing_data(scan, "pepper-cone");
    CliRun run = {.directory = *state};
    cli_start(&run,
              "recon %s -o pepper.h5 --geometry cone --source-object-distance 410.66 --source-detector-distance 553.74 "
              "--detector-pixel 0.8 --theta 0:360 --open-beam 2160 --volume 140x140x148 --algorithm fdk",
              scan);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_true(fabs(cli_number_after(run.err, "rotation center: column ", NULL) - 69.49) < 0.15);
    cli_free(&run);
    const int64_t size[] = {148, 140, 140};
    double *voxel = cli_read_doubles(*state, "pepper.h5", "/exchange/data", 3, size);
    const double *slice = voxel + (size_t)74 * 140 * 140;
    const double wall = slice[70 * 140 + 20], hollow = slice[45 * 140 + 95], air = slice[4 * 140 + 70];
    print_message("wall %.3f, hollow %.3f, air %.3f 1/cm\n", wall, hollow, air);
    assert_true(wall > 0.1 && wall > 5 * fabs(hollow) && wall > 5 * fabs(air));
    free(voxel);
}

static const char axis_and_more[] = "--geometry cone --rotation-axis 23.5 --pictures no --report none --overwrite";

/* Slices of some rows, away from the middle, are those of a run with all rows; a cropped detector gets room. */
static void parts_of_the_detector_show_the_same(void **state)
{
    enum { SIZE = 48, FIRST = 30, PART = 16, SLICE = SIZE * SIZE };
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o phantom.h5 --geometry cone --size 48 --slices 48 --angles 90 --noise 0");
    cli_works(at, "recon phantom.h5 -o whole.h5 %s --algorithm fdk", axis_and_more);
    cli_works(at, "recon phantom.h5 -o part.h5 %s --algorithm fdk --start-row %d --end-row %d", axis_and_more, FIRST,
              FIRST + PART);
    float *whole = cli_read_volume(at, "whole.h5", SIZE, SIZE), *part = cli_read_volume(at, "part.h5", PART, SIZE);
    const double rows =
        cli_difference((int64_t)2 * SLICE, part + (PART / 2 - 1) * SLICE, whole + (FIRST + PART / 2 - 1) * SLICE);
    if (rows > 1e-5) fail_msg("rows away from the middle: %g", rows);
    free(part);
    cli_start(&run, "recon phantom.h5 -o part.h5 %s --algorithm fdk --start-column 19", axis_and_more);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "the slice gets 48 x 48 voxels, which have room for the whole object (--volume "
                                    "29x29: cut it off)\n"));
    cli_free(&run);
    part = cli_read_volume(at, "part.h5", SIZE, SIZE);
    const double columns =
        cli_difference((int64_t)2 * SLICE, part + (SIZE / 2 - 1) * SLICE, whole + (SIZE / 2 - 1) * SLICE);
    if (columns > 0.1) fail_msg("a displaced detector: %g", columns); /* corners are seen by some angles only */
    free(part);
    free(whole);
    cli_works(at, "recon phantom.h5 -o part.h5 %s --start-column 19 --algorithm cg --iterations 1", axis_and_more);
    free(cli_read_volume(at, "part.h5", SIZE, SIZE));
}

/* The difference of the middle of a volume of `side` voxels from that of one of 64, within the field of view. */
static double truncation_error(const char *at, const char *name, int64_t side)
{
    enum { WHOLE = 64, SLICE = 8 };
    float *whole = cli_read_volume(at, "whole.h5", 2 * SLICE, WHOLE),
          *part = cli_read_volume(at, name, 2 * SLICE, side);
    double difference = 0, sum = 0;
    for (int y = -17; y < 17; y++)
        for (int x = -17; x < 17; x++) {
            const double voxel = (double)whole[(SLICE * WHOLE + WHOLE / 2 + y) * WHOLE + WHOLE / 2 + x];
            const double off = (double)part[(SLICE * side + side / 2 + y) * side + side / 2 + x] - voxel;
            if (hypot(x + 0.5, y + 0.5) > 17) continue;
            difference += off * off;
            sum += voxel * voxel;
        }
    free(whole);
    free(part);
    return sqrt(difference / sum);
}

/* Projections of an object that reaches beyond the detector are continued, and iterative algorithms get room, by
 * themselves. */
static void objects_wider_than_the_detector(void **state)
{
    const char *const at = *state;
    static const char recon[] =
        "recon wide.h5 --geometry cone --rotation-axis 31.5 --pictures no --report none --start-column 14 "
        "--end-column 50";
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o wide.h5 --geometry cone --size 64 --slices 16 --angles 120 --noise 0");
    cli_works(
        at,
        "recon wide.h5 -o whole.h5 --geometry cone --rotation-axis 31.5 --pictures no --report none --algorithm fdk");
    cli_start(&run, "%s --algorithm fdk -o auto.h5", recon);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, ": each projection is continued beyond it before it is filtered (--padding-type "
                                    "zeros: by zeros; --air N: "));
    cli_free(&run);
    cli_works(at, "%s --algorithm fdk -o zeros.h5 --padding-type zeros", recon);
    /* Values that the user calls line integrals are, whatever they look like. */
    char *said = cli_output_of(at, "recon wide.h5 -o i.h5 --geometry cone --rotation-axis 31.5 --pictures no --report "
                                   "none --algorithm fdk --data line-integrals");
    if (!strstr(said, ": each projection is continued beyond it before it is filtered")) fail_msg("%s", said);
    free(said);
    cli_works(at, "%s -o cut.h5 --algorithm cg --iterations 6 --volume 36x36", recon);
    cli_start(&run, "%s -o room.h5 --algorithm cg --iterations 6", recon);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const double side = cli_number_after(run.err, "the volume gets ", NULL);
    cli_free(&run);
    assert_true(side > 36 && side <= 72);
    const double continued = truncation_error(at, "auto.h5", 36), zeros = truncation_error(at, "zeros.h5", 36);
    const double room = truncation_error(at, "room.h5", (int64_t)side), cut = truncation_error(at, "cut.h5", 36);
    print_message("fdk %.3f, by zeros %.3f; cg %.3f, without room %.3f\n", continued, zeros, room, cut);
    assert_true(continued < 0.25 && continued < 0.3 * zeros && room < 0.6 * cut);
}

/* The largest difference of an integer volume from that of floats, in steps of its range. */
static double steps_off(const char *directory, const double range[2])
{
    enum { SIZE = 48 };
    static const int64_t size[] = {SIZE, SIZE, SIZE};
    double *plain = cli_read_doubles(directory, "plain.h5", "/exchange/data", 3, size), off = 0;
    double *found = cli_read_doubles(directory, "whole.h5", "/exchange/data", 3, size);
    const double step = (range[1] - range[0]) / 65535;
    for (int64_t i = 0; i < (int64_t)SIZE * SIZE * SIZE; i++)
        off = fmax(off, fabs(range[0] + found[i] * step - plain[i]) / step);
    free(plain);
    free(found);
    return off;
}

enum { CHANNELS = 6 };
static uint64_t channel; /* of a scan with one */

static uint16_t count_of_channel(uint64_t angle, uint64_t row, uint64_t column)
{
    return count(angle, row + channel, column);
}

/* The largest difference of slice `at` of fans.h5 from one.h5, relative to the largest voxel. */
static double difference_of_channel(const char *directory, int64_t at)
{
    const int64_t pixels = COLUMNS * COLUMNS;
    float *fans = cli_read_volume(directory, "fans.h5", CHANNELS, COLUMNS);
    float *one = cli_read_volume(directory, "one.h5", 1, COLUMNS);
    double most = 0, difference = 0;
    for (int64_t i = 0; i < pixels; i++) {
        most = fmax(most, fabs((double)one[i]));
        difference = fmax(difference, fabs((double)fans[at * pixels + i] - (double)one[i]));
    }
    free(fans);
    free(one);
    return difference / most;
}

/* Each row of --geometry fan is the slice of a cone of this row alone: to the bit by fdk. */
static void rows_of_fans_are_cones_of_a_row(void **state)
{
#define FANS                                                                                                           \
    " --theta 0:360:excluded --source-object-distance 200 --source-detector-distance 300 --detector-pixel 1.5 "        \
    "--rotation-axis 23.5 --overwrite --pictures no --report none"
    static const char *const algorithm[] = {"fdk", "sirt --iterations 2"};
    CliScan scan = cli_scan;
    scan.angles = ANGLES;
    scan.theta_count = 0;
    scan.columns = COLUMNS;
    scan.count = count_of_channel;
    for (int i = 0; i < 2; i++)
        for (channel = 0; channel < CHANNELS; channel += 5) {
            const uint64_t own = channel;
            scan.rows = 1;
            cli_write_scan(*state, "one.scan.h5", &scan);
            cli_works(*state, "recon one.scan.h5 -o one.h5 --geometry cone --volume 48x48 --algorithm %s" FANS,
                      algorithm[i]);
            channel = 0;
            scan.rows = CHANNELS;
            cli_write_scan(*state, "fans.scan.h5", &scan);
            cli_works(*state, "recon fans.scan.h5 -o fans.h5 --geometry fan --volume 48x48 --algorithm %s" FANS,
                      algorithm[i]);
            channel = own;
            const double difference = difference_of_channel(*state, (int64_t)channel);
            assert_true(i == 0 ? difference == 0 : difference < 2e-6);
        }
    cli_refuses(*state, "volume | 9 slices | --geometry fan | auto",
                "recon fans.scan.h5 -o o.h5 --geometry fan --volume 48x48x9 --algorithm fdk --theta 0:360:excluded "
                "--source-object-distance 200 --source-detector-distance 300 --detector-pixel 1.5");
#undef FANS
}

/* A range is found for integers, which holds all voxels, and is the same for the iterative algorithms. */
static void range_is_found(void **state)
{
    static const char phantom[] = "recon phantom.h5 --geometry cone --rotation-axis 23.5 --pictures no --report none";
    static const int64_t two = 2;
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o phantom.h5 --geometry cone --size 48 --slices 48 --angles 90 --noise 0.01");
    cli_works(at, "%s --algorithm fdk -o plain.h5", phantom);
    cli_start(&run, "%s --algorithm fdk -o whole.h5 --output-type uint16 --workers 1", phantom);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, " 1/cm, by planes of a coarse volume reconstructed with fdk\n"));
    assert_non_null(strstr(run.err, "; clipped: 0 voxels below and 0 above, NaN as 0: 0\n"));
    cli_free(&run);
    double *range = cli_read_doubles(at, "whole.h5", "/process/output_range", 1, &two);
    assert_true(steps_off(at, range) <= 0.51);
    cli_works(at, "%s -o other.h5 --output-type uint8 --algorithm cg --iterations 2 --workers 2", phantom);
    double *other = cli_read_doubles(at, "other.h5", "/process/output_range", 1, &two);
    assert_true(other[0] == range[0] && other[1] == range[1]);
    free(range);
    free(other);
}

int cli_cone_recon_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(the_same_bits_for_any_schedule),
        CLI_TEST(rows_of_fans_are_cones_of_a_row),
        CLI_TEST(range_is_found),
        CLI_TEST(parts_of_the_detector_show_the_same),
        CLI_TEST(the_same_to_rounding_for_any_kernel),
        CLI_TEST(passes_change_nothing_but_rounding),
        CLI_TEST(a_killed_run_goes_on),
        CLI_TEST(try_is_the_middle_slice),
        CLI_TEST(values_are_tried),
        CLI_TEST(measured_fan_beams_are_as_published),
        CLI_TEST(a_measured_pepper_is_hollow),
        CLI_TEST(objects_wider_than_the_detector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
