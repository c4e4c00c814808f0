/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, halves: volumes of every second projection are those of --exclude, their noise is independent, they
 * tell what compare tells, near to the truth, and a run that was killed goes on with them. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

enum { SIZE = 48, SLICES = 4, SLICE = SIZE * SIZE, VOXELS = SLICES * SLICE };

#define QUIET " --pictures no --report none --rotation-axis 23.5"

static double process_number(const char *at, const char *file, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "/process/%s", name);
    double *value = cli_read_doubles(at, file, path, 0, NULL), number = value[0];
    free(value);
    return number;
}

static double difference(const char *at, const char *a, const char *b)
{
    float *one = cli_read_volume(at, a, SLICES, SIZE), *other = cli_read_volume(at, b, SLICES, SIZE);
    const double found = cli_difference(VOXELS, one, other);
    free(one);
    free(other);
    return found;
}

static void halves_are_runs_without_the_other(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size %d --angles 61 --slices %d --noise 0.03", SIZE, SLICES);
    cli_works(at, "recon scan.h5 -o v.h5 --halves" QUIET);
    const double strength = process_number(at, "v.h5", "regularization");
    cli_works(at, "recon scan.h5 -o even.h5 --exclude 1::2 --regularization %.17g" QUIET, strength * 31 / 61);
    cli_works(at, "recon scan.h5 -o odd.h5 --exclude 0::2 --regularization %.17g" QUIET, strength * 30 / 61);
    assert_true(difference(at, "v_even.h5", "even.h5") < 1e-5);
    assert_true(difference(at, "v_odd.h5", "odd.h5") < 1e-5);
    assert_true(difference(at, "v_even.h5", "odd.h5") > 1e-2);
    assert_true(fabs(process_number(at, "v_odd.h5", "regularization") - strength * 30 / 61) < 1e-12);
}

/* Of fbp, whose volumes are those without noise and their noise. */
static void noise_of_halves_is_independent(void **state)
{
    const char *const at = *state;
    static const char *const name[] = {"0_even.h5", "0_odd.h5", "v_even.h5", "v_odd.h5"};
    float *volume[4];
    double product = 0, square[2] = {0};
    for (int noisy = 0; noisy < 2; noisy++) {
        cli_works(at, "phantom -o scan.h5 --size %d --angles 200 --slices %d --noise %g --overwrite", SIZE, SLICES,
                  0.1 * noisy);
        cli_works(at, "recon scan.h5 -o %s.h5 --halves --algorithm fbp --save-format both" QUIET, noisy ? "v" : "0");
    }
    for (int i = 0; i < 4; i++) volume[i] = cli_read_volume(at, name[i], SLICES, SIZE);
    for (int i = 0; i < VOXELS; i++) {
        const double a = (double)volume[2][i] - (double)volume[0][i], b = (double)volume[3][i] - (double)volume[1][i];
        product += a * b;
        square[0] += a * a;
        square[1] += b * b;
    }
    print_message("correlation of noise %.3f\n", product / sqrt(square[0] * square[1]));
    assert_true(fabs(product) < 0.1 * sqrt(square[0] * square[1]));
    float *slice = cli_read_tiff(at, "v_odd/recon_00001.tiff", SIZE);
    assert_memory_equal(slice, volume[3] + SLICE, SLICE * sizeof *slice);
    free(slice);
    for (int i = 0; i < 4; i++) free(volume[i]);
}

static double rmse(const char *at, const char *line, double *resolution)
{
    CliRun run = {.directory = at};
    cli_start(&run, "compare %s --json", line);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const double found = cli_number_after(run.out, "\"rmse\": ", NULL);
    if (resolution && strstr(run.out, "\"half_bit_resolution\": null"))
        *resolution = NAN;
    else if (resolution)
        *resolution = cli_number_after(run.out, "\"half_bit_resolution\": ", NULL);
    cli_free(&run);
    return found;
}

/* The share of the voxels of the inscribed circles whose error is at most twice the one of the map. */
static double covered(const char *at)
{
    float *volume = cli_read_volume(at, "v.h5", SLICES, SIZE), *truth = cli_read_volume(at, "t.h5", SLICES, SIZE);
    float *map = cli_read_volume(at, "map.h5", SLICES, SIZE);
    int within = 0, count = 0;
    for (int i = 0; i < VOXELS; i++) {
        if (hypot(i % SIZE - 23.5, (double)(i / SIZE % SIZE) - 23.5) > 24) continue;
        within += fabsf(volume[i] - truth[i]) <= 2 * map[i];
        count++;
    }
    free(volume);
    free(truth);
    free(map);
    return (double)within / count;
}

/* The file of a map says what no difference of halves shows. */
static void map_tells_its_limit(const char *at)
{
    char path[TESTING_PATH];
    const hid_t file = H5Fopen(testing_path(path, at, "map.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    char *lacks = testing_hdf5_text(file, NULL, "/process/lacks");
    assert_non_null(strstr(lacks, "that both halves have in common"));
    free(lacks);
    assert_true(H5Fclose(file) >= 0);
}

/* Found: 0.97 to 1.05 of the true error. */
static void measures_are_near_the_truth(void **state)
{
    const char *const at = *state;
    static const char *const scan[] = {"--object head --angles 60 --noise 0.03",
                                       "--object texture --angles 60 --noise 0.1",
                                       "--object texture --angles 120 --noise 0.03"};
    for (int i = 0; i < 3; i++) {
        double resolution;
        cli_works(at, "phantom -o scan.h5 --size %d --slices %d --truth t.h5 --overwrite %s", SIZE, SLICES, scan[i]);
        cli_works(at, "recon scan.h5 -o v.h5 --halves --overwrite" QUIET);
        const double half = rmse(at, "v_even.h5 v_odd.h5 --frc frc.csv --error-map map.h5 --overwrite", &resolution);
        const double error = rmse(at, "v.h5 t.h5", NULL), told = process_number(at, "v.h5", "error");
        const double share = covered(at);
        print_message("%s: error %.3g, estimated %.3g; %.2f within twice the map\n", scan[i], error, told, share);
        assert_true(share > 0.85 && share < 0.995);
        map_tells_its_limit(at);
        assert_true(fabs(process_number(at, "v.h5", "noise") - half / 2) <= 1e-6 * half);
        assert_true(fabs(told - half / sqrt(2)) <= 1e-6 * half);
        const double found = process_number(at, "v.h5", "resolution");
        assert_true(isnan(resolution) ? isnan(found) : fabs(found - resolution) < 1e-6 * resolution);
        assert_true(told > error / 2 && told < 2 * error);
    }
}

/* The search for iterations reconstructs the same halves of its slices: here of the only one. */
static void searches_know_them_already(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 80 --slices 1 --noise 0.05");
    cli_works(at, "recon scan.h5 -o s.h5 --algorithm cg --iterations auto --pictures no --rotation-axis 31.5");
    cli_works(at, "recon scan.h5 -o v.h5 --algorithm cg --iterations auto --halves --pictures no --rotation-axis 31.5");
    static const char *const name[] = {"noise", "error", "relative_error"};
    for (int i = 0; i < 3; i++) {
        const double searched = process_number(at, "s.h5", name[i]), found = process_number(at, "v.h5", name[i]);
        if (!(fabs(searched / found - 1) < 0.01)) fail_msg("%s is %g; expected %g", name[i], searched, found);
    }
}

/* Killed once the even half is there. What goes on leaves it as it is. */
static void a_killed_run_goes_on(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o scan.h5 --size %d --angles 200 --slices %d --noise 0.03", SIZE, SLICES);
    cli_works(at, "recon scan.h5 -o whole.h5 --halves --algorithm cg" QUIET);
    cli_start(&run, "recon scan.h5 -o v.h5 --halves --algorithm cg" QUIET);
    while (kill(run.pid, 0) == 0 && !cli_exists(at, "v_even.h5") && !cli_exists(at, "v.h5")) usleep(1000);
    kill(run.pid, SIGKILL);
    cli_wait(&run);
    cli_free(&run);
    if (cli_exists(at, "v.h5")) skip(); /* it was quicker than this test */
    cli_start(&run, "recon scan.h5 -o v.h5 --halves --algorithm cg --resume" QUIET);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "v_even.h5 is complete, from an unfinished run"));
    cli_free(&run);
    assert_true(difference(at, "v.h5", "whole.h5") == 0 && difference(at, "v_even.h5", "whole_even.h5") == 0 &&
                difference(at, "v_odd.h5", "whole_odd.h5") == 0);
    assert_false(cli_exists(at, "v.h5.journal") || cli_exists(at, "v_even.h5.journal"));
}

static void what_has_no_halves(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size %d --angles 9 --slices 1", SIZE);
    cli_write_text(at, "v_odd.h5", "mine\n");
    cli_refuses(at, "v_odd.h5 exists; --overwrite replaces it", "recon scan.h5 -o v.h5 --halves");
    cli_refuses(at, "--halves | --reconstruction-type try | --reconstruction-type full",
                "recon scan.h5 -o v.h5 --halves --reconstruction-type try");
    cli_works(at, "phantom -o one.h5 --size %d --angles 1 --slices 1", SIZE);
    cli_refuses(at, "--halves | 1 projection | 2 or more", "recon one.h5 -o w.h5 --halves");
    cli_works(at, "phantom -o scan_even.h5 --size %d --angles 9 --slices 1", SIZE);
    cli_refuses(at, "--halves | the input | 'scan_even.h5'", "recon scan_even.h5 -o scan.h5 --halves --overwrite");
}

int cli_halves_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(halves_are_runs_without_the_other),
        CLI_TEST(noise_of_halves_is_independent),
        CLI_ONE_CORE(measures_are_near_the_truth),
        CLI_ONE_CORE(searches_know_them_already),
        CLI_TEST(a_killed_run_goes_on),
        CLI_TEST(what_has_no_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
