/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, try: one slice with several values of a setting; each slice is that of a run with this value alone. */
#include "cli.h"

enum { SIZE = 48, ROWS = 4, ROW = 2 };
static const char usual[] = "--pictures no --nsino 2 --partitions 1";

static void write_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --size %d --angles 60 --slices %d --noise 0.01", SIZE, ROWS);
}

/* The slice of a file of OUT is that of a run of all rows with these words. */
static void assert_slice(const char *directory, const char *file, const char *words)
{
    cli_works(directory, "recon scan.h5 -o whole.h5 --overwrite %s %s", usual, words);
    float *volume = cli_read_volume(directory, "whole.h5", ROWS, SIZE), *slice = cli_read_tiff(directory, file, SIZE);
    const double difference = cli_difference(SIZE * SIZE, slice, volume + ROW * SIZE * SIZE);
    if (!(difference <= 2e-5)) fail_msg("%s is %g away from the slice of %s", file, difference, words);
    free(volume);
    free(slice);
}

static char *try_values(const char *directory, const char *words)
{
    char line[400];
    snprintf(line, sizeof line, "recon scan.h5 -o out --reconstruction-type try --overwrite %s %s", usual, words);
    return cli_output_of(directory, line);
}

static void centers(void **state)
{
    const char *const at = *state;
    write_scan(at);
    char *said = try_values(at, "--sweep rotation-axis=22.5:24.5:0.5 --algorithm fbp");
    assert_null(strstr(said, "by Vo's method")); /* nothing is searched */
    assert_non_null(strstr(said, "sinodag: all 5 values: out/sheet.html, out/sweep.csv\n"));
    assert_non_null(strstr(said, "sinodag: the slice has the least entropy at --rotation-axis 23.5\n"));
    free(said);
    assert_slice(at, "out/recon_00022.50.tiff", "--rotation-axis 22.5 --algorithm fbp");
    assert_slice(at, "out/recon_00024.00.tiff", "--rotation-axis 24 --algorithm fbp");
    char page[TESTING_PATH];
    assert_int_equal(
        cli_tool("python3", SINO_SOURCE_ROOT "/tests/page_check", testing_path(page, at, "out/sheet.html")), 0);
    said = try_values(at, "--sweep rotation-axis=23,24,24.125");
    assert_true(cli_exists(at, "out/recon_00024.125.tiff") && cli_exists(at, "out/recon_00023.000.tiff"));
    free(said);
    said = try_values(at, "--sweep rotation-axis=24:26:1 --algorithm fbp");
    assert_non_null(strstr(said, "at --rotation-axis 24, at the end of the range: try others beyond it\n"));
    free(said);
    said = try_values(at, "--algorithm fbp --center-search-width 1 --center-search-step 1 --rotation-axis 23.5");
    assert_non_null(strstr(said, "center 22.5: out/recon_00022.50.tiff (entropy "));
    assert_non_null(strstr(said, "sinodag: all 3 values: "));
    free(said);
}

/* The search for the strength is no part of the progress of the slice before. */
static void searches_tell_no_progress(void **state)
{
    const char *const at = *state;
    write_scan(at);
    char *said = try_values(at, "--sweep algorithm=cg,fista --rotation-axis 23.5");
    assert_null(strstr(said, "iteration 0/30, 100 %"));
    free(said);
}

/* Solvers, stages and directions; with and without an operator of their own. */
static void other_settings(void **state)
{
    static const char paganin[] =
        "--phase-method paganin --energy 20 --propagation-distance 100 --pixel-size 1 --algorithm fbp";
    static const char few[] = "--algorithm cg --iterations 3"; /* differences of rounding stay small */
    static const char *const swept[][4] = {{"iterations", "2", "5", "--algorithm cg"},
                                           {"algorithm", "fbp", "sirt", ""},
                                           {"algorithm", "mlem", "fista", "--projector rays"},
                                           {"angle-direction", "clockwise", "counterclockwise", few},
                                           {"remove-stripe-method", "none", "fw", few},
                                           {"projector", "rays", "rotate", few},
                                           {"weights", "none", "counts", few},
                                           {"weights", "counts", "auto", "--algorithm sirt --iterations 4"},
                                           {"precision", "mixed", "single", few},
                                           {"delta-beta", "10", "100", paganin}};
    const char *const at = *state;
    char words[250], file[80], alone[250];
    write_scan(at);
    for (size_t i = 0; i < sizeof swept / sizeof *swept; i++) {
        snprintf(words, sizeof words, "--rotation-axis 23.5 --sweep %s=%s,%s %s", swept[i][0], swept[i][1], swept[i][2],
                 swept[i][3]);
        char *said = try_values(at, words);
        assert_null(strstr(said, "least entropy"));
        free(said);
        for (int v = 1; v <= 2; v++) {
            snprintf(file, sizeof file, "out/%s_%s.tiff", swept[i][0], swept[i][v]);
            snprintf(alone, sizeof alone, "--rotation-axis 23.5 --%s %s %s", swept[i][0], swept[i][v], swept[i][3]);
            assert_slice(at, file, alone);
        }
    }
    /* The center is found once, and used for all. */
    char *said = try_values(at, "--sweep iterations=3,6");
    const char *found = strstr(said, "rotation center: column 23.");
    assert_non_null(found);
    assert_null(strstr(found + 1, "rotation center"));
    free(said);
}

static void refusals(void **state)
{
    static const char *const refused[][2] = {
        {"iterations=5,0", "--sweep iterations | '0' | auto | 1 to 1000000000"},
        {"iterations=5,5", "--sweep | 5 twice | different values"},
        {"rotation-axis=20,20.0", "--sweep | 20.0 twice | different values"},
        {"iterations=5,", "--sweep | '' | commas | FIRST:LAST:STEP"},
        {"rotation-axis=5:4:1", "--sweep | '5:4:1' | FIRST:LAST:STEP | above 0"},
        {"rotation-axis=0:40:0.1", "--sweep | 401 values | up to 100"},
        {"rotation-axis=40:60:10", "--sweep rotation-axis | 50 | 0 to 47"},
        {"fbp-filter=hann", "--fbp-filter | --algorithm cg | --algorithm fbp"},
        {"iterations", "--sweep | 'iterations' | iterations=VALUES"},
    };
    const char *const at = *state;
    write_scan(at);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        cli_refuses(at, refused[i][1], "recon scan.h5 -o out --reconstruction-type try --overwrite --sweep %s",
                    refused[i][0]);
    static const char *const never[] = {"theta=a", "nothing=3", "nsino=1,2", "sweep=3", "memory=1GiB"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        char message[300];
        snprintf(message, sizeof message, "--sweep | '%s' | NAME=VALUES | rotation-axis=290:300:0.5", never[i]);
        cli_refuses(at, message, "recon scan.h5 -o out --reconstruction-type try --sweep %s", never[i]);
    }
    cli_refuses(at, "--sweep iterations=2 | --reconstruction-type full | --reconstruction-type try",
                "recon scan.h5 -o out --sweep iterations=2");
    free(try_values(at, "--sweep iterations=2,3"));
    cli_refuses(at, "out/iterations_2.tiff exists | --overwrite",
                "recon scan.h5 -o out --reconstruction-type try --sweep iterations=2,4");
    cli_refuses(at, "out/sheet.html exists | --overwrite",
                "recon scan.h5 -o out --reconstruction-type try --sweep iterations=7,9");
}

int cli_try_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(centers), CLI_TEST(searches_tell_no_progress), CLI_TEST(other_settings),
                                       CLI_TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
