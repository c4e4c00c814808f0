/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, input: scans that cannot be reconstructed are refused with one sentence, and nothing is left. */
#include "cli.h"

#include <math.h>

static void files_that_are_no_scan(void **state)
{
    const char *const at = *state;
    cli_write_text(at, "text", "theta: 3\n");
    cli_write_text(at, "empty", "");
    cli_refuses(at, "nope.h5: No such file or directory", "recon nope.h5 -o out.h5");
    cli_refuses(at, "nope.h5: No such file or directory", "info nope.h5");
    cli_refuses(at, "text is not an HDF5 file; for raw sinograms give --theta and --columns", "recon text -o out.h5");
    cli_refuses(at, "empty is not an HDF5 file; for raw sinograms give --theta and --columns", "recon empty -o out.h5");
    cli_refuses(at, ". is a directory; give the name of a file", "recon . -o out.h5");
    cli_refuses(at, "text is not an HDF5 file; for raw sinograms give --theta and --columns", "info text");
}

/* Writes the scan, and has both verbs refuse it. */
static void refuse_scan(const char *directory, const char *message, const CliScan *scan)
{
    cli_write_scan(directory, "scan.h5", scan);
    cli_refuses(directory, message, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --graph graph.dot");
    cli_refuses(directory, message, "info scan.h5");
}

static void datasets_missing_or_of_wrong_rank(void **state)
{
    CliScan scan = cli_scan;
    scan.data_rank = 0;
    refuse_scan(*state, "scan.h5 has no dataset /exchange/data", &scan);
    scan.data_rank = 2;
    refuse_scan(*state, "scan.h5: /exchange/data has 2 dimensions; allowed: 3", &scan);
}

static void sizes_that_disagree(void **state)
{
    CliScan scan = cli_scan;
    scan.flat_rows = 3;
    refuse_scan(*state,
                "scan.h5: /exchange/data_white has 3 rows and 16 columns; allowed: 4 and 16, as /exchange/data has",
                &scan);
    scan = cli_scan;
    scan.theta_count = 11;
    refuse_scan(*state, "scan.h5: /exchange/theta has 11 angles; allowed: 12, one per projection of /exchange/data",
                &scan);
}

static void no_angles_rows_or_columns(void **state)
{
    CliScan scan = cli_scan;
    scan.angles = 0;
    refuse_scan(*state,
                "scan.h5: /exchange/data has 0 projections of 4 rows and 16 columns; allowed: 1 or more of each",
                &scan);
    scan = cli_scan;
    scan.columns = 0;
    refuse_scan(*state,
                "scan.h5: /exchange/data has 12 projections of 4 rows and 0 columns; allowed: 1 or more of each",
                &scan);
}

static void angles_that_are_not_finite(void **state)
{
    double theta[12] = {0, 15, 30, 45, 60, NAN, 90};
    CliScan scan = cli_scan;
    scan.theta = theta;
    refuse_scan(*state, "scan.h5: /exchange/theta[5] is nan; allowed: finite angles in degrees", &scan);
    theta[5] = 75;
    theta[6] = -INFINITY;
    refuse_scan(*state, "scan.h5: /exchange/theta[6] is -inf; allowed: finite angles in degrees", &scan);
}

static void flats_absent_or_dark(void **state)
{
    CliScan scan = cli_scan;
    scan.flats = 0;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state,
                "'scan.h5' has no flat fields (/exchange/data_white); pass --flat-correction none if its data are "
                "transmissions already",
                "recon scan.h5 -o out.h5");
    scan = cli_scan;
    scan.flat_count = 0;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state, "'scan.h5': every count of the 2 flat fields is zero or less; allowed: flat fields with light",
                "recon scan.h5 -o out.h5");
    cli_works(*state, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --flat-correction none "
                      "--minus-log no");
}

static void parts_outside_the_detector(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at, "rotation-axis is 16; allowed: auto, or a column of the detector, 0 to 15",
                "recon scan.h5 -o out.h5 --rotation-axis 16");
    cli_refuses(at, "rotation-axis is -0.5; allowed: auto, or a column of the detector, 0 to 15",
                "recon scan.h5 -o out.h5 --rotation-axis -0.5");
    cli_refuses(at, "start-row is 4; allowed: 0 to 3, the scan's rows", "recon scan.h5 -o out.h5 --start-row 4");
    cli_refuses(at, "end-row is 5; allowed: up to 4, the scan's rows", "recon scan.h5 -o out.h5 --end-row 5");
    cli_refuses(at, "start-column is 16; allowed: 0 to 15, the scan's columns",
                "recon scan.h5 -o out.h5 --start-column 16");
    cli_refuses(at, "end-column is 17; allowed: up to 16, the scan's columns",
                "recon scan.h5 -o out.h5 --end-column 17");
    cli_refuses(at, "empty row range: --start-row is 2, --end-row is 2; allowed: an end above the start, or -1",
                "recon scan.h5 -o out.h5 --start-row 2 --end-row 2");
    cli_refuses(at, "binning is 8; only 4 rows are selected", "recon scan.h5 -o out.h5 --binning 8");
    cli_refuses(at, "nsino is 1; allowed: rows 2 to 3", "recon scan.h5 -o out.h5 --start-row 2 --nsino 1");
}

static void angles_that_do_not_show_the_center(void **state)
{
    double theta[12];
    CliScan scan = cli_scan;
    for (int k = 0; k < 12; k++) theta[k] = 10 * k;
    scan.theta = theta;
    cli_write_scan(*state, "scan.h5", &scan);
    cli_refuses(*state, "the angles cover 110.0 degrees; finding the center needs about 180; give --rotation-axis",
                "recon scan.h5 -o out.h5");
    cli_refuses(*state,
                "no two angles are half a turn apart (the nearest pair is 70.00 degrees off), which phase correlation "
                "needs; give --rotation-axis, or --rotation-axis-auto vo",
                "recon scan.h5 -o out.h5 --rotation-axis-auto phase");
}

static void raw_sinograms(void **state)
{
    const char *const at = *state;
    const float sinograms[2 * 5 * 8] = {1}, theta[5] = {0, 0.6F, 1.2F, 1.8F, 2.4F};
    const float bad[5] = {0, 0.6F, 1.2F, NAN, 2.4F};
    cli_write_bytes(at, "raw.bin", sinograms, sizeof sinograms);
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    cli_write_bytes(at, "bad.bin", bad, sizeof bad);
    cli_write_bytes(at, "empty.bin", "", 0);
    cli_write_bytes(at, "odd.bin", theta, 7);
    cli_works(at, "info raw.bin --theta theta.bin --columns 8");
    cli_refuses(at, "raw.bin has 320 bytes; allowed: a multiple of 5 angles × 7 columns × 4 = 140 bytes",
                "recon raw.bin --theta theta.bin --columns 7 -o out.h5");
    cli_refuses(at, "raw.bin has 320 bytes; allowed: a multiple of 5 angles × 17 columns × 4 = 340 bytes",
                "recon raw.bin --theta theta.bin --columns 17 -o out.h5");
    cli_refuses(at, "--columns is '0'; allowed: an integer from 1 to 1000000000",
                "recon raw.bin --theta theta.bin --columns 0 -o out.h5");
    cli_refuses(at, "empty.bin has 0 bytes; allowed: a multiple of 5 angles × 8 columns × 4 = 160 bytes",
                "recon empty.bin --theta theta.bin --columns 8 -o out.h5");
    cli_refuses(at, "empty.bin has 0 bytes; allowed: 4 for each angle (float32 radians), of one angle or more",
                "recon raw.bin --theta empty.bin --columns 8 -o out.h5");
    cli_refuses(at, "odd.bin has 7 bytes; allowed: 4 for each angle (float32 radians), of one angle or more",
                "recon raw.bin --theta odd.bin --columns 8 -o out.h5");
    cli_refuses(at, "bad.bin: angle 3 is nan; allowed: finite float32 values in radians",
                "recon raw.bin --theta bad.bin --columns 8 -o out.h5");
    cli_refuses(at, "nope.bin: No such file or directory", "recon raw.bin --theta nope.bin --columns 8 -o out.h5");
    cli_refuses(at, "nope.bin: No such file or directory", "recon nope.bin --theta theta.bin --columns 8 -o out.h5");
    cli_refuses(at, "--theta is 'theta.bin' without --columns; raw sinograms need both, an HDF5 scan neither",
                "recon raw.bin --theta theta.bin -o out.h5");
    cli_refuses(at, "--columns is 8 without --theta; raw sinograms need both, an HDF5 scan neither",
                "recon raw.bin --columns 8 -o out.h5");
}

/* The amount after "--memory " in a refusal. */
static void amount_of(const char *directory, const char *arguments, char amount[32])
{
    CliRun run = {.directory = directory};
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 7 %s --memory 1MiB", arguments);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_memory_equal(run.err, "sinodag: memory is 1.0 MiB; this reconstruction needs at least ", 62);
    const char *found = strstr(run.err, "; allowed: --memory ");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "; allowed: --memory %31s or more", amount), 1);
    cli_free(&run);
}

static void too_little_memory(void **state)
{
    const char *const shape[] = {"--size 64 --angles 1", "--size 64 --angles 5", "--size 64 --angles 60",
                                 "--size 50 --angles 400", "--size 8 --angles 60"};
    const char *const arguments[] = {"--iterations 1", "--algorithm sirt --iterations 1 --precision double",
                                     "--algorithm fbp", "--iterations 2 --partitions 5 --minibatch 3"};
    for (int s = 0; s < 5; s++) {
        cli_works(*state, "phantom -o scan.h5 --slices 4 --overwrite %s", shape[s]);
        for (int a = 0; a < 4; a++) {
            char amount[32];
            amount_of(*state, arguments[a], amount);
            assert_names(*state, "scan.h5");
            cli_works(*state, "recon scan.h5 -o out.h5 --rotation-axis 7 --pictures no %s --memory %s", arguments[a],
                      amount);
            assert_names(*state, "out.h5 scan.h5");
            char path[TESTING_PATH];
            assert_int_equal(unlink(testing_path(path, *state, "out.h5")), 0);
        }
    }
    cli_refuses(*state, "--memory is '0.5'; allowed: a size such as 512MiB, 2G or 1.5GB, from 0 to 1048576 TiB",
                "recon scan.h5 -o out.h5 --memory 0.5");
}

int cli_input_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(files_that_are_no_scan),
        CLI_TEST(datasets_missing_or_of_wrong_rank),
        CLI_TEST(sizes_that_disagree),
        CLI_TEST(no_angles_rows_or_columns),
        CLI_TEST(angles_that_are_not_finite),
        CLI_TEST(flats_absent_or_dark),
        CLI_TEST(parts_outside_the_detector),
        CLI_TEST(angles_that_do_not_show_the_center),
        CLI_TEST(raw_sinograms),
        CLI_TEST(too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
