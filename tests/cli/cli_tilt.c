/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, tilt: a leaning axis is told and cured, slices do not depend on how they are shared, plan and info. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

enum { COLUMNS = 64, ROWS = 40, ANGLES = 180, VALUES = ANGLES * COLUMNS, PIXELS = COLUMNS * COLUMNS };
static const double center = 33, tilt_deg = 4;

/* all.bin: disks in every row, seen by a detector that is turned by tilt_deg. */
static void write_scan(const char *directory, double degrees)
{
    float *all = calloc((size_t)ROWS * VALUES, sizeof *all);
    assert_non_null(all);
    for (int r = 0; r < ROWS; r++) {
        const double lean = tan(degrees * M_PI / 180) * (r - (ROWS - 1) / 2.0);
        cli_write_disks(directory, ANGLES, M_PI, center + lean, 20, 12);
        float *row = cli_read_bytes(directory, "disks.bin", VALUES * sizeof *row);
        memcpy(all + (size_t)r * VALUES, row, VALUES * sizeof *row);
        free(row);
    }
    cli_write_bytes(directory, "all.bin", all, (size_t)ROWS * VALUES * sizeof *all);
    free(all);
}

#define SCAN "all.bin --theta disks_theta.bin --columns 64"
#define RECON                                                                                                          \
    "recon " SCAN " -o v.h5 --overwrite --pictures no --report none --algorithm fbp --remove-stripe-method none "      \
    "--zinger-removal-method none"

static float *reconstruct(const char *directory, const char *words, int rows)
{
    cli_works(directory, RECON " --rotation-axis 33 %s", words);
    return cli_read_volume(directory, "v.h5", rows, COLUMNS);
}

static double worst_difference(const float *a, const float *b, int64_t count)
{
    double worst = 0;
    for (int64_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)(a[i] - b[i])));
    return worst;
}

/* What recon and info propose straightens the axis; then slices far from the middle are as sharp as the middle one. */
static void a_leaning_axis_is_cured(void **state)
{
    static const char *const lines[] = {RECON, "info " SCAN};
    char words[300];
    write_scan(*state, tilt_deg);
    for (int i = 0; i < 2; i++) {
        char *said = cli_output_of(*state, lines[i]);
        const double proposed = cli_number_after(said, "--detector-tilt ", NULL);
        if (!(fabs(proposed - tilt_deg) < 0.4)) fail_msg("%s", said);
        free(said);
        snprintf(words, sizeof words, "%s --detector-tilt %.2f", lines[i], proposed);
        said = cli_output_of(*state, words);
        if (strstr(said, "leans")) fail_msg("%s: %s", words, said);
        assert_true(i == 0 || strstr(said, ", detector turned back by "));
        free(said);
    }
    float *leaning = reconstruct(*state, "", ROWS), *upright = reconstruct(*state, "--detector-tilt 4", ROWS);
    const double before = cli_correlation(COLUMNS, 28, leaning + 4 * PIXELS, upright + 20 * PIXELS);
    const double after = cli_correlation(COLUMNS, 28, upright + 4 * PIXELS, upright + 20 * PIXELS);
    print_message("row 4 beside row 20: correlation %.3f, upright %.4f\n", before, after);
    assert_true(before < 0.97 && after > 0.995);
    free(leaning);
    free(upright);
}

/* To the bit: other slabs, and rows that are left out; but for the kernels of panels, other minibatches. */
static void slices_do_not_depend_on_others(void **state)
{
    static const char *const ways[] = {"--detector-tilt 4 --minibatch 4 --workers 1",
                                       "--detector-tilt 4 --minibatch 16", "--detector-tilt 4 --minibatch 3"};
    write_scan(*state, tilt_deg);
    float *all = reconstruct(*state, "--detector-tilt 4", ROWS);
    float *one = reconstruct(*state, "--detector-tilt 4 --minibatch 1", ROWS);
    assert_true(worst_difference(all, one, ROWS * PIXELS) < 1e-6); /* of values about 0.1 */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        float *other = reconstruct(*state, ways[i], ROWS);
        assert_true(worst_difference(all, other, ROWS * PIXELS) < 1e-6);
        free(other);
    }
    float *part = reconstruct(*state, "--detector-tilt 4 --minibatch 1 --start-row 12 --end-row 15", 3);
    assert_true(testing_same_bytes(part, one + 12 * PIXELS, 3 * PIXELS * sizeof *part));
    free(all);
    free(one);
    free(part);
}

static void plan_counts_the_rows_beside(void **state)
{
    double stages[2], slab[2];
    write_scan(*state, 0);
    for (int i = 0; i < 2; i++) {
        CliRun run = {.directory = *state};
        cli_start(&run, "plan " SCAN " --json --workers 2 --algorithm fbp --minibatch 40 --detector-tilt %d", i * 4);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        stages[i] = cli_number_after(run.out, "\"stages\": ", NULL);
        slab[i] = cli_number_after(run.out, "\"total\": ", NULL);
        cli_free(&run);
    }
    assert_true(stages[1] - stages[0] > 2 * 4.0 * COLUMNS * 2 * (ROWS + 2 * 4)); /* lines and marks, on each worker */
    assert_true(slab[1] > slab[0]);
}

int cli_tilt_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(a_leaning_axis_is_cured),
        CLI_TEST(slices_do_not_depend_on_others),
        CLI_TEST(plan_counts_the_rows_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
