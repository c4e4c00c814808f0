/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, center: the rotation center is found in all columns, by methods that check each other; half
 * acquisitions get room. */
#include "cli.h"

#include <math.h>

/* The line integral at distance s of the axis through two disks of density 0.02 at the given angle; off: the distance
 * of the smaller one. */
static double disks(double s, double angle, double large, double off)
{
    const double t = s - off * cos(angle);
    return 0.04 * sqrt(fmax(large * large - s * s, 0)) + 0.04 * sqrt(fmax(9 - t * t, 0));
}

void cli_write_disks(const char *directory, int angles, double turn, double center, double large, double off)
{
    static float b[360 * 64], theta[360];
    for (int k = 0; k < angles; k++) {
        theta[k] = (float)(turn * k / angles);
        for (int c = 0; c < 64; c++) b[k * 64 + c] = (float)disks(c - center, (double)theta[k], large, off);
    }
    cli_write_bytes(directory, "disks.bin", b, (size_t)angles * 64 * sizeof *b);
    cli_write_bytes(directory, "disks_theta.bin", theta, (size_t)angles * sizeof *theta);
}

/* Correlation of the first slice of o.h5 with the disks, inside the circle. */
static double correlation_with_disks(const char *directory, int64_t size, double large, double off)
{
    float *volume = cli_read_volume(directory, "o.h5", 1, size), *truth = malloc((size_t)(size * size) * sizeof *truth);
    assert_non_null(truth);
    for (int64_t i = 0; i < size * size; i++) {
        const double x = (double)(i % size) - (double)(size - 1) / 2, y = (double)(size - 1) / 2 - (double)(i / size);
        truth[i] = (hypot(x, y) < large ? 0.02F : 0) + (hypot(x - off, y) < 3 ? 0.02F : 0);
    }
    const double same = cli_correlation(size, (double)size / 2 - 1, volume, truth);
    free(volume);
    free(truth);
    return same;
}

/* The axis at the side of the detector in a whole turn. */
static void half_acquisitions(void **state)
{
    const char *const at = *state;
    static const char input[] =
        "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite";
    static const char axis[] = "the rotation axis, column 14.0, is 18 columns off the middle in a scan of a whole "
                               "turn, and the object reaches "
                               "beyond the shorter side, where it is seen once instead of twice";
    static const char room[] = "the slice gets 100 x 100 voxels, which have room for the whole object (--volume 64x64: "
                               "cut it off)";
    static const char part[] = "; allowed: --start-column 0 --end-column 29 for the part that is seen all around, or ";
    char line[400], message[700];
    cli_write_disks(at, 360, 2 * M_PI, 14, 44, 30);
    for (int fbp = 0; fbp < 2; fbp++) {
        const char *const words = fbp ? "--algorithm fbp" : "--algorithm cg --iterations 10";
        snprintf(line, sizeof line, "%s %s --rotation-axis 14", input, words);
        char *said = cli_output_of(at, line);
        snprintf(message, sizeof message, "%s: %s\n", axis, room);
        assert_null(strstr(said, "warning"));
        if (!strstr(said, message)) fail_msg("expected '%s' in '%s'", message, said);
        free(said);
        const double same = correlation_with_disks(at, 100, 44, 30);
        if (!(same > (fbp ? 0.975 : 0.98))) /* fbp of the whole detector: 0.978 */
            fail_msg("%s: correlation %g", words, same);
        snprintf(line, sizeof line, "%s %s --rotation-axis 14 --volume 100x100", input, words);
        char *whole = cli_output_of(at, line);
        assert_null(strstr(whole, "warning"));
        free(whole);
    }
    CliRun run = {.directory = at};
    cli_start(&run, "%s --algorithm fbp --rotation-axis 14 --volume 64x64", input);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    snprintf(message, sizeof message, "%s, which fbp only knows with room for it%s--volume auto, or 100x100", axis,
             part);
    if (!strstr(run.err, message)) fail_msg("expected '%s' in '%s'", message, run.err);
    cli_free(&run);
    snprintf(line, sizeof line, "%s --iterations 1 --rotation-axis 14 --volume 64x64", input);
    char *cut = cli_output_of(at, line);
    snprintf(message, sizeof message, "warning: %s: the slice cuts it off%s--volume auto, or 100x100", axis, part);
    if (!strstr(cut, message)) fail_msg("expected '%s' in '%s'", message, cut);
    free(cut);
    snprintf(line, sizeof line, "%s --iterations 1 --rotation-axis-auto pairs", input);
    char *found = cli_output_of(at, line);
    assert_true(fabs(cli_number_after(found, "rotation center: column ", NULL) - 14) < 0.1);
    assert_non_null(strstr(found, "(by pairs of opposite projections)"));
    free(found);
    cli_works(at, "%s --algorithm fbp --rotation-axis 14 --start-column 0 --end-column 29", input);
    char *agreed = cli_output_of(at, "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --overwrite "
                                     "--pictures no --algorithm cg --iterations 1");
    assert_true(fabs(cli_number_after(agreed, "rotation center: column ", NULL) - 14) < 0.1);
    assert_null(strstr(agreed, "disagree"));
    free(agreed);
    cli_write_disks(at, 360, 2 * M_PI, 14, 8, 5); /* the object is seen all around */
    cli_works(at, "%s --algorithm fbp --rotation-axis 14", input);
    cli_write_disks(at, 360, 2 * M_PI, 30, 40, 30);
    cli_works(at, "%s --algorithm fbp --rotation-axis 30", input);
}

/* Mean of the voxels of slice `slice` between two distances from the axis. */
static double mean_between(const float *volume, int64_t size, int64_t slice, double from, double to)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < size * size; i++) {
        const double x = (double)(i % size) - (double)(size - 1) / 2, y = (double)(size - 1) / 2 - (double)(i / size);
        const double r = hypot(x, y);
        if (r < from || r > to) continue;
        sum += (double)volume[slice * size * size + i];
        count++;
    }
    return sum / (double)count;
}

/* Writes the disks three times, once as they are, then twice and three times as dense. */
static void write_dense_disks(const char *directory, int angles, double first, double center)
{
    static float b[3 * 360 * 64], theta[360];
    for (int k = 0; k < angles; k++) {
        theta[k] = (float)(first + 2 * M_PI * k / angles);
        for (int c = 0; c < 64; c++)
            for (int f = 0; f < 3; f++)
                b[(f * angles + k) * 64 + c] = (float)((f + 1) * disks(c - center, (double)theta[k], 44, 30));
    }
    cli_write_bytes(directory, "disks.bin", b, (size_t)angles * 3 * 64 * sizeof *b);
    cli_write_bytes(directory, "disks_theta.bin", theta, (size_t)angles * sizeof *theta);
}

/* Values of fbp are right to a hundredth near the axis, where rays are seen twice, and at the rim, where they are seen
 * once: the axis at either side, between columns, with opposite projections and without, by each projector. */
static void half_acquisitions_by_fbp(void **state)
{
    const char *const at = *state;
    static const struct {
        int angles;
        double first, center;
        const char *words;
    } row[] = {{360, 0, 14, "--projector rays"},
               {360, 0.3, 14.3, "--projector pixels"},
               {359, 0, 49, "--projector rotate"},
               {359, 0.1, 48.6, "--projector rays --minibatch 1"},
               {357, 0, 14.3, ""},
               {358, 0, 48.6, "--minibatch 2 --precision double --partitions 2"}};
    char line[400];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        write_dense_disks(at, row[i].angles, row[i].first, row[i].center);
        snprintf(line, sizeof line,
                 "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite --algorithm "
                 "fbp --volume 100x100 --rotation-axis %g %s",
                 row[i].center, row[i].words);
        char *said = cli_output_of(at, line);
        assert_null(strstr(said, "warning"));
        free(said);
        float *volume = cli_read_volume(at, "o.h5", 3, 100);
        static const double rings[][2] = {{0, 8}, {8, 16}, {16, 25}, {36, 41}};
        for (int f = 0; f < 3; f++)
            for (int r = 0; r < 4; r++) {
                const double mean = mean_between(volume, 100, f, rings[r][0], rings[r][1]) / (0.02 * (f + 1));
                if (!(fabs(mean - 1) < 0.01))
                    fail_msg("%s, slice %d, ring %g to %g: %g", line, f, rings[r][0], rings[r][1], mean);
            }
        free(volume);
    }
}

/* The center is searched in the whole width, whatever the crop. */
static void centers_of_cropped_scans(void **state)
{
    const char *const at = *state;
    static const char input[] = "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no "
                                "--overwrite --algorithm cg --iterations 1";
    static const char *const crops[] = {"--start-column 8 --end-column 30", "--start-column 24 --end-column 40",
                                        "--rotation-axis-auto phase --start-column 30 --end-column 50"};
    char line[300];
    cli_write_disks(at, 180, M_PI, 33.2, 20, 12);
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "%s %s", input, crops[i]);
        char *said = cli_output_of(at, line);
        const char *rest;
        const double whole = cli_number_after(said, "rotation center: column ", NULL);
        const double part = cli_number_after(said, "which is column ", &rest);
        const double first = cli_number_after(crops[i], "--start-column ", NULL);
        if (!(fabs(whole - 33.2) < 0.5)) fail_msg("center %g of %s", whole, crops[i]);
        assert_true(fabs(whole - first - part) < 0.011);
        free(said);
    }
}

/* The scan of a line, and the center that is expected of it. */
static char *assert_center(const char *directory, const char *line, double center)
{
    char *said = cli_output_of(directory, line);
    const double found = cli_number_after(said, "rotation center: column ", NULL);
    if (!(fabs(found - center) < 0.3)) fail_msg("%s: center %g instead of %g: %s", line, found, center, said);
    return said;
}

/* Vo's method and phase correlation agree, and are both told. A scan whose last projection was shifted: the entropy
 * takes Vo's side, and a warning is given. Without an opposite projection, the entropy checks alone; on a short arc,
 * moments tell the center of an object within the detector. */
static void methods_check_each_other(void **state)
{
    static const char recon[] = "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no "
                                "--overwrite --algorithm cg --iterations 1";
    static const char disagreement[] = "the methods that find the center disagree; look at the slice";
    const char *const at = *state;
    enum { ANGLES = 180, COLUMNS = 64, SHIFT = 12 };
    char line[200];
    cli_write_disks(at, ANGLES, M_PI, 33.2, 20, 12);
    char *said = assert_center(at, recon, 33.2);
    assert_non_null(strstr(said, "(by Vo's method; phase correlation: 33."));
    assert_null(strstr(said, "disagree"));
    free(said);
    for (int i = 0; i < 4; i++) {
        static const char *const methods[] = {"vo", "phase", "entropy", "auto"};
        snprintf(line, sizeof line, "%s --rotation-axis-auto %s", recon, methods[i]);
        free(assert_center(at, line, 33.2));
    }
    float *b = cli_read_bytes(at, "disks.bin", ANGLES * COLUMNS * sizeof *b);
    float *last = b + (ANGLES - 1) * COLUMNS;
    memmove(last + SHIFT, last, (COLUMNS - SHIFT) * sizeof *b);
    cli_write_bytes(at, "disks.bin", b, ANGLES * COLUMNS * sizeof *b);
    free(b);
    said = assert_center(at, recon, 33.2);
    assert_non_null(strstr(said, disagreement));
    assert_non_null(strstr(said, "(by Vo's method; phase correlation: 39."));
    assert_non_null(strstr(said, "; entropy of the slice: 33."));
    free(said);
    snprintf(line, sizeof line, "%s --rotation-axis-auto phase", recon);
    free(assert_center(at, line, 39.2));
    cli_write_disks(at, 165, M_PI * 165 / 180, 33.2, 20, 12);
    said = assert_center(at, recon, 33.2);
    assert_non_null(strstr(said, "(by Vo's method; entropy of the slice: 3"));
    assert_null(strstr(said, "disagree"));
    free(said);
    cli_write_disks(at, 120, M_PI * 120 / 180, 33.2, 20, 12);
    said = assert_center(at, recon, 33.2); /* as a tilt series */
    assert_non_null(strstr(said, "(by moments)"));
    free(said);
    cli_refuses(at, "119.0 degrees | 180 | --rotation-axis", "%s --rotation-axis-auto entropy", recon);
    cli_write_disks(at, 10, M_PI * 10 / 180, 33.2, 20, 12);
    CliRun run = {.directory = at};
    cli_start(&run, "%s", recon);
    cli_wait(&run);
    cli_assert_ended(&run, 2,
                     "9.0 degrees | 180 | more than 45 | little noise | stays within the detector | --rotation-axis");
}

/* Takes the projections of cli_write_disks in another order: the next one is `stride` further on, `turn` more for each
 * round. */
static void reorder_disks(const char *directory, int angles, int stride, double turn)
{
    enum { COLUMNS = 64, MOST = 360 };
    static float theta[MOST], b[MOST * COLUMNS];
    const size_t bytes = (size_t)angles * COLUMNS * sizeof *b;
    float *old = cli_read_bytes(directory, "disks.bin", bytes);
    float *old_theta = cli_read_bytes(directory, "disks_theta.bin", (size_t)angles * sizeof *theta);
    for (int k = 0; k < angles; k++) {
        const int from = k * stride % angles;
        memcpy(b + (size_t)k * COLUMNS, old + (size_t)from * COLUMNS, COLUMNS * sizeof *b);
        theta[k] = old_theta[from] + (float)(turn * (k * stride / angles));
    }
    cli_write_bytes(directory, "disks.bin", b, bytes);
    cli_write_bytes(directory, "disks_theta.bin", theta, (size_t)angles * sizeof *theta);
    free(old_theta);
    free(old);
}

/* Interlaced scans: within half a turn, within a turn, and with coarse angles in each of several turns. */
static void projections_in_any_order(void **state)
{
    static const struct Order {
        int angles, stride;
        double scanned, turn;
        const char *told;
    } order[] = {{180, 77, M_PI, 0, "(by Vo's method; phase correlation: 33."},
                 {180, 77, M_PI, 2 * M_PI, "(by pairs of opposite projections; Vo's method: 33."},
                 {180, 91, 2 * M_PI, 0, "(by pairs of opposite projections; Vo's method: 33."},
                 {180, 37, 2 * M_PI, 2 * M_PI, "(by pairs of opposite projections; Vo's method: 33."}};
    static const char *const methods[] = {"auto", "vo", "entropy"};
    const char *const at = *state;
    char line[240];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cli_write_disks(at, order[i].angles, order[i].scanned, 33.2, 20, 12);
        reorder_disks(at, order[i].angles, order[i].stride, order[i].turn);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            snprintf(line, sizeof line,
                     "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite "
                     "--algorithm cg --iterations 1 --rotation-axis-auto %s",
                     methods[m]);
            char *said = assert_center(at, line, 33.2);
            if (m == 0 && i != 1) assert_non_null(strstr(said, order[i].told));
            if (m == 0) assert_null(strstr(said, "disagree"));
            free(said);
        }
    }
}

/* An axis that leans by 3 columns over 32 rows is told, an upright one not. */
static void leaning_axis(void **state)
{
    static const char recon[] = "recon all.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite "
                                "--report none --algorithm cg --iterations 1";
    enum { ANGLES = 180, COLUMNS = 64, ROWS = 32, VALUES = ANGLES * COLUMNS };
    const char *const at = *state;
    float *all = calloc(ROWS * VALUES, sizeof *all);
    assert_non_null(all);
    for (int leans = 0; leans < 2; leans++) {
        for (int r = 0; r < ROWS; r++) {
            cli_write_disks(at, ANGLES, M_PI, 33 + leans * 3 * ((double)r / (ROWS - 1) - 0.5), 20, 12);
            float *row = cli_read_bytes(at, "disks.bin", VALUES * sizeof *row);
            memcpy(all + (size_t)r * VALUES, row, VALUES * sizeof *row);
            free(row);
        }
        cli_write_bytes(at, "all.bin", all, ROWS * VALUES * sizeof *all);
        char *said = assert_center(at, recon, 33);
        const char *told = strstr(said, "the rotation axis leans: the lower half of the rows has its center ");
        assert_int_equal(told != NULL, leans);
        if (told) assert_true(fabs(cli_number_after(told, "has its center ", NULL) - 1.5) < 0.3);
        if (told) assert_true(fabs(cli_number_after(told, "turned by ", NULL) - 5.4) < 1.1);
        free(said);
    }
    free(all);
}

enum { STACK = 32, STACK_ANGLES = 180 };

/* Writes all.bin, disks in 32 rows: those from `first` on, the others are air; the center of row r is 33 + lean·(r/31 −
 * 1/2). */
static void write_stack(const char *directory, double lean, int first)
{
    enum { VALUES = STACK_ANGLES * 64 };
    float *all = calloc((size_t)STACK * VALUES, sizeof *all);
    assert_non_null(all);
    for (int r = first; r < STACK; r++) {
        cli_write_disks(directory, STACK_ANGLES, M_PI, 33 + lean * ((double)r / (STACK - 1) - 0.5), 20, 12);
        float *row = cli_read_bytes(directory, "disks.bin", VALUES * sizeof *row);
        memcpy(all + (size_t)r * VALUES, row, VALUES * sizeof *row);
        free(row);
    }
    cli_write_bytes(directory, "all.bin", all, (size_t)STACK * VALUES * sizeof *all);
    free(all);
}

/* Projections, and rows beside the middle one, tell how sure the center is: in the log, the volume and the page. Rows
 * lie a quarter from the ends, or halfway if there is air; rows that disagree are warned of, unless the lean was told.
 */
static void rows_tell_how_sure(void **state)
{
    static const struct {
        double lean;
        int first, rows;
        const char *words, *spread;
        bool warns;
    } row[] = {{0, 0, 3, "", " ± 0.05 (by Vo", false},
               {0, 0, 3, " --rotation-axis-auto entropy", " ± 0.05 (by entropy of the slice; 3 rows)", false},
               {0, 0, 0, " --rotation-axis-auto phase", " (by phase correlation)", false},
               {0, 0, 1, " --nsino 5", " ± 0.05 (by Vo's method; phase correlation: 33", false},
               {0, 0, 3, " --binning 2", " ± 0.10 (by Vo", false},
               {0, 10, 3, " --rotation-axis-auto vo", " ± 0.05 (by Vo's method; 3 rows)", false},
               {0, 14, 2, " --rotation-axis-auto vo", " ± 0.05 (by Vo's method; 2 rows)", false},
               {6, 0, 3, " --rotation-axis-auto vo", " (by Vo's method; 3 rows)", true},
               {3, 0, 3, "", " (by Vo's method; phase correlation: 3", false}};
    const char *const at = *state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[300];
        write_stack(at, row[i].lean, row[i].first);
        snprintf(line, sizeof line,
                 "recon all.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite --algorithm cg "
                 "--iterations "
                 "1%s",
                 row[i].words);
        char *said = assert_center(at, line, 33);
        if (!strstr(said, row[i].spread)) fail_msg("no '%s' in '%s'", row[i].spread, said);
        char *warned = strstr(said, "warning: the centers of 3 rows of the detector differ by ");
        assert_true((warned != NULL) == row[i].warns);
        if (row[i].rows > 0) {
            double *rows = cli_read_doubles(at, "o.h5", "/process/center_rows", 0, NULL);
            double *spread = cli_read_doubles(at, "o.h5", "/process/center_uncertainty", 0, NULL);
            assert_true(*rows == row[i].rows);
            const double told = cli_number_after(said, " ± ", NULL), expected = row[i].lean * 15 / 31 / 2;
            assert_true(fabs(*spread - told) < 0.006);
            assert_true(row[i].lean == 0 || fabs(*spread - expected) < 0.3);
            free(rows);
            free(spread);
        } else
            assert_null(strstr(said, "±"));
        free(said);
    }
}

/* A whole turn about an axis beside the middle: Vo's method sees half a turn, and is 0.2 columns off, pairs are not.
 * Few angles: Vo's method is 0.2 columns off, moments are not. */
static void the_more_precise_method(void **state)
{
    static const struct {
        int angles;
        double scanned, center, large, off;
        const char *told;
    } row[] = {{360, 2 * M_PI, 16.3, 44, 30, " (by pairs of opposite projections; Vo's method: 16.50)"},
               {16, M_PI, 29.7, 20, 12, " (by Vo's method; phase correlation: 29.67; moments: 29."}};
    const char *const at = *state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cli_write_disks(at, row[i].angles, row[i].scanned, row[i].center, row[i].large, row[i].off);
        char *said = cli_output_of(at, "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no "
                                       "--overwrite --algorithm cg --iterations 1");
        const double found = cli_number_after(said, "rotation center: column ", NULL);
        const double uncertainty = cli_number_after(said, " ± ", NULL);
        if (!(fabs(found - row[i].center) < 0.05 && uncertainty < 0.1 && strstr(said, row[i].told)))
            fail_msg("%g, expected %g and '%s': %s", found, row[i].center, row[i].told, said);
        free(said);
    }
}

/* A scan whose axis lies along the rows: the option that exchanges rows and columns is named, and helps. */
static void lying_axis(void **state)
{
    enum { ANGLES = 48, ROWS = 32, COLUMNS = 40, BALLS = 4 };
    static const double x[] = {5, -6, 8, -3}, y[] = {2, 7, -5, -8}, z[] = {8, 15, 22, 31};
    const char *const at = *state;
    static float scan[ANGLES * ROWS * COLUMNS];
    for (int i = 0; i < ANGLES * ROWS * COLUMNS; i++) {
        const double angle = M_PI * (i / (ROWS * COLUMNS)) / ANGLES;
        const double row = i / COLUMNS % ROWS - 15.5, column = i % COLUMNS;
        for (int b = 0; b < BALLS; b++) {
            const double off = row - x[b] * cos(angle) - y[b] * sin(angle), along = column - z[b];
            scan[i] += (float)(0.04 * sqrt(fmax(16 + b - off * off - along * along, 0)));
        }
    }
    cli_write_npy(at, "lying.npy", "<f4", "(48, 32, 40)", scan, sizeof scan);
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        char line[200];
        snprintf(line, sizeof line,
                 "recon lying.npy --theta 0:176.25 --data line-integrals -o o.h5 --pictures no --overwrite --algorithm "
                 "cg --iterations 1%s",
                 exchanged ? " --axes angle,column,row" : "");
        char *said = exchanged ? assert_center(at, line, 15.5) : cli_output_of(at, line);
        const char *told = strstr(said, "about an axis along the rows");
        if ((told == NULL) != exchanged || (told && !strstr(told, "; --axes angle,column,row exchanges them")))
            fail_msg("%s", said);
        free(said);
    }
}

/* Half of the projections are too few for Vo's method where half a turn of all of them suffices. */
static void few_angles_of_a_whole_turn(void **state)
{
    const char *const at = *state;
    cli_write_disks(at, 20, 2 * M_PI, 33.2, 20, 12);
    char *said = assert_center(at,
                               "recon disks.bin --theta disks_theta.bin --columns 64 -o o.h5 --pictures no --overwrite "
                               "--algorithm cg --iterations 1 --rotation-axis-auto vo",
                               33.2);
    assert_true(cli_number_after(said, " ± ", NULL) >= 1);
    free(said);
}

int cli_center_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_ONE_CORE(half_acquisitions),
                                       CLI_ONE_CORE(half_acquisitions_by_fbp),
                                       CLI_ONE_CORE(centers_of_cropped_scans),
                                       CLI_ONE_CORE(methods_check_each_other),
                                       CLI_ONE_CORE(projections_in_any_order),
                                       CLI_ONE_CORE(leaning_axis),
                                       CLI_ONE_CORE(rows_tell_how_sure),
                                       CLI_ONE_CORE(the_more_precise_method),
                                       CLI_ONE_CORE(lying_axis),
                                       CLI_ONE_CORE(few_angles_of_a_whole_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
