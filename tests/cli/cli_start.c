/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --start: a run goes on from the volume of another one, whatever divides the work, and stays at the
 * solution; other volumes are refused. */
#include "cli.h"

#include <math.h>

enum { SIZE = 48, SLICES = 5, VOXELS = SLICES * SIZE * SIZE };

#define RECON "recon p.h5 --overwrite --rotation-axis 23.5 --pictures no --report none "

static void make_scan(const char *at)
{
    cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles 40 --slices %d --noise 0.02", SIZE, SLICES);
}

static double volumes_off(const char *at, const char *one, const char *other)
{
    float *a = cli_read_volume(at, one, SLICES, SIZE), *b = cli_read_volume(at, other, SLICES, SIZE);
    const double off = cli_difference(VOXELS, a, b);
    free(a);
    free(b);
    return off;
}

/* These solvers remember nothing but x, so that 4 and 5 iterations are 9. Volumes are in 1/cm here. */
static void iterations_add_up(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"sirt", "sirt --nonnegativity yes --support-ratio 0.8", "mlem",
                                          "osem --subsets 3"};
    static const char *const ways[] = {"--start first.h5",
                                       "--start first.h5:/exchange/data --partitions 7 --minibatch 2",
                                       "--start first.npy --minibatch 3 --projector rotate --workers 1",
                                       "--start first --precision double --memory 1GiB"};
    make_scan(at);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
        for (size_t w = 0; w < 2; w++) { /* osem does not meet rotate, which has no subsets */
            const char *const way = ways[(s + w) % (sizeof ways / sizeof *ways)];
            const char *const same = strstr(way, "--projector") ? "--projector rotate" : "";
            cli_works(at, RECON "-o all.h5 --pixel-size 5 --iterations 9 --algorithm %s %s", solvers[s], same);
            cli_works(at, RECON "-o first.h5 --save-format both --pixel-size 5 --iterations 4 --algorithm %s %s",
                      solvers[s], same);
            float *first = cli_read_volume(at, "first.h5", SLICES, SIZE);
            cli_write_npy(at, "first.npy", "<f4", "(5, 48, 48)", first, VOXELS * sizeof *first);
            free(first);
            cli_works(at, RECON "-o rest.h5 --pixel-size 5 --iterations 5 --algorithm %s %s", solvers[s], way);
            const double off = volumes_off(at, "rest.h5", "all.h5");
            if (!(off <= 2e-6)) fail_msg("%s, %s: volumes differ by %g", solvers[s], way, off);
        }
}

/* From the solution, what is not yet converged moves little; from their own start, both are far away. */
static void solutions_stay(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"cg", "fista --subsets 1 --regularization 0.02",
                                          "fista --subsets 1 --regularization 0.02 --prior huber"};
    make_scan(at);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        cli_works(at, RECON "-o all.h5 --iterations 300 --algorithm %s", solvers[s]);
        cli_works(at, RECON "-o rest.h5 --iterations 3 --algorithm %s --start all.h5", solvers[s]);
        cli_works(at, RECON "-o own.h5 --iterations 3 --algorithm %s", solvers[s]);
        const double off = volumes_off(at, "rest.h5", "all.h5"), own = volumes_off(at, "own.h5", "all.h5");
        print_message("%s: %g, from its own start %g\n", solvers[s], off, own);
        assert_true(off <= 2e-3);
        assert_true(own >= 20 * off);
        cli_works(at, RECON "-o divided.h5 --iterations 3 --algorithm %s --start all.h5 --partitions 5 --minibatch 2",
                  solvers[s]);
        assert_true(volumes_off(at, "divided.h5", "rest.h5") <= 2e-5);
    }
}

/* The margin, which no volume holds, begins as air: of an object that fits the detector it has little. */
static void margins_begin_as_air(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(at, RECON "-o all.h5 --algorithm sirt --iterations 60 --margin 9 --nonnegativity yes");
    cli_works(at, RECON "-o first.h5 --algorithm sirt --iterations 50 --margin 9 --nonnegativity yes");
    cli_works(at, RECON "-o rest.h5 --algorithm sirt --iterations 10 --margin 9 --nonnegativity yes --start first.h5");
    const double off = volumes_off(at, "rest.h5", "all.h5"), moved = volumes_off(at, "first.h5", "all.h5");
    print_message("margin: %g, the last ten iterations moved %g\n", off, moved);
    assert_true(off < moved);
}

/* What a run finds when it has begun. */
static void fails(const char *at, const char *keys, const char *words)
{
    CliRun run = {.directory = at};
    cli_start(&run, RECON "-o v.h5 %s", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, keys);
    assert_false(cli_exists(at, "v.h5"));
}

/* A slice of NaN or of negative values is refused while the run reads it; no output is left. */
static void values_are_checked(const char *at)
{
    float *values = calloc(VOXELS, sizeof *values);
    assert_non_null(values);
    values[2 * SIZE * SIZE + 3 * SIZE + 7] = -1;
    cli_write_npy(at, "negative.npy", "<f4", "(5, 48, 48)", values, VOXELS * sizeof *values);
    values[2 * SIZE * SIZE + 3 * SIZE + 7] = NAN;
    cli_write_npy(at, "nan.npy", "<f4", "(5, 48, 48)", values, VOXELS * sizeof *values);
    free(values);
    cli_works(at, RECON "-o cg.h5 --algorithm cg --iterations 1 --start negative.npy");
    fails(at, "negative.npy | voxel 7 of row 3 of slice 2 | -1 | 0 or more", "--algorithm mlem --start negative.npy");
    fails(at, "nan.npy | voxel 7 of row 3 of slice 2 | nan | finite",
          "--algorithm fista --regularization 0.02 --start nan.npy");
}

static void what_does_not_fit_is_refused(void **state)
{
    const char *const at = *state;
    const float few[] = {1, 2, 3, 4};
    make_scan(at);
    cli_works(at, RECON "-o first.h5 --algorithm fbp");
    cli_write_npy(at, "few.npy", "<f4", "(1, 2, 2)", few, 4 * sizeof *few);
    values_are_checked(at);
    cli_refuses(at, "--start few.npy | 1 slices of 2 x 2 voxels | 5 of 48 x 48",
                RECON "-o v.h5 --algorithm cg --start few.npy");
    cli_refuses(at, "--start first.h5 | 5 slices | 3 of 48 x 48",
                RECON "-o v.h5 --algorithm cg --start first.h5 --start-row 1 --end-row 4");
    cli_refuses(at, "--start | --algorithm fbp | --algorithm cg | fista",
                RECON "-o v.h5 --algorithm fbp --start first.h5");
    cli_refuses(at, "--start first.h5 | --projector toeplitz | --algorithm fista",
                RECON "-o v.h5 --algorithm cg --projector toeplitz --start first.h5");
    cli_refuses(at, "--start | --iterations auto | 0 | a number",
                RECON "-o v.h5 --algorithm cg --iterations auto --start first.h5");
    cli_refuses(at, "--start | --reconstruction-type try | --reconstruction-type full",
                RECON "-o v.h5 --algorithm cg --reconstruction-type try --start first.h5");
    cli_refuses(at, "--out | --start | 'first.h5' | different files",
                RECON "-o first.h5 --algorithm cg --start first.h5");
    cli_write_bytes(at, "raw", few, sizeof few);
    fails(at, "raw", "--algorithm cg --start raw");
    fails(at, "absent.h5", "--algorithm cg --start absent.h5");
}

int cli_start_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(iterations_add_up),
        CLI_TEST(solutions_stay),
        CLI_TEST(margins_begin_as_air),
        CLI_TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
