/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --prior-dimensions 3: nearer to the truth than slices for themselves, the same volume for every
 * division of the work, among ranks, too, what else of a run works with it, and what does not and is refused. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

enum { SIZE = 48, SLICES = 48, ROWS = 7, SIDE = 64, FEW = 9 };

static const char quiet[] = "--overwrite --pictures no --report none";

/* Relative error within the inscribed circles of the slices of t.h5. */
static double error_of(const char *directory, const char *name)
{
    float *a = cli_read_volume(directory, name, SLICES, SIZE), *b = cli_read_volume(directory, "t.h5", SLICES, SIZE);
    double off = 0, norm = 0;
    for (int64_t i = 0; i < (int64_t)SLICES * SIZE * SIZE; i++) {
        const double x = (double)(i % SIZE) - 0.5 * (SIZE - 1), y = (double)(i / SIZE % SIZE) - 0.5 * (SIZE - 1);
        if (hypot(x, y) > 0.5 * SIZE) continue;
        off += pow((double)a[i] - (double)b[i], 2);
        norm += pow((double)b[i], 2);
    }
    free(a);
    free(b);
    return sqrt(off / norm);
}

/* In noise the voxels of other slices tell something, with the strength that is found in 2-D: an isotropic phantom. */
static void volume_is_nearer_to_the_truth(void **state)
{
    static const struct {
        const char *object, *prior;
        double share; /* of the error in 2-D */
    } cases[] = {{"head", "total-variation", 0.95}, {"texture", "total-variation", 0.97}, {"head", "huber", 0.94}};
    const char *const at = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2];
        cli_works(at,
                  "phantom -o p.h5 --overwrite --object %s --size %d --angles 50 --slices %d --noise 0.03 --truth t.h5",
                  cases[i].object, SIZE, SLICES);
        for (int d = 2; d <= 3; d++) {
            cli_works(at, "recon p.h5 -o v.h5 --rotation-axis 23.5 --prior %s --prior-dimensions %d %s", cases[i].prior,
                      d, quiet);
            error[d - 2] = error_of(at, "v.h5");
        }
        print_message("%s, %s: %.2f %% in 2-D, %.2f %% in 3-D\n", cases[i].object, cases[i].prior, 100 * error[0],
                      100 * error[1]);
        assert_true(error[1] <= cases[i].share * error[0]);
    }
}

static void phantom(const char *at)
{
    cli_works(at, "phantom -o p.h5 --object texture --size %d --angles 40 --slices %d --noise 0.02", SIDE, FEW);
}

/* words: of both runs. */
static void reconstruct_one(const char *at, const char *words)
{
    cli_works(
        at,
        "recon p.h5 -o one.h5 --rotation-axis 31.5 --prior-dimensions 3 --partitions 1 --minibatch %d --workers 1 "
        "%s %s",
        FEW, words, quiet);
}

static void assert_same(const char *at, const char *launcher, const char *way, const char *words, double within)
{
    CliRun run = {.directory = at, .launcher = launcher};
    cli_start(&run, "recon p.h5 -o other.h5 --rotation-axis 31.5 --prior-dimensions 3 %s %s %s", words, way, quiet);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", way, run.exit_code, run.err);
    cli_free(&run);
    float *one = cli_read_volume(at, "one.h5", FEW, SIDE), *other = cli_read_volume(at, "other.h5", FEW, SIDE);
    const double off = cli_difference((int64_t)FEW * SIDE * SIDE, other, one);
    print_message("%s%s%s: %.2g\n", launcher ? launcher : "", launcher ? " " : "", way, off);
    if (!(off <= within)) fail_msg("%s: volumes differ by %g", way, off);
    free(one);
    free(other);
}

static const char *const priors[] = {"--prior total-variation --iterations 5",
                                     "--prior huber --regularization 0.1 --iterations 3",
                                     "--prior qggmrf --regularization 0.1 --iterations 3",
                                     "--subsets 1 --iterations 10 --regularization 0.1 --support-ratio 0.9"};
enum { PRIORS = sizeof priors / sizeof *priors };

static void division_changes_nothing(void **state)
{
    static const char *const ways[] = {"--minibatch 1", "--minibatch 2 --partitions 5", "--minibatch 4 --symmetry no",
                                       "--partitions 3 --scheduler eager", "--minibatch 3 --precision double"};
    const char *const at = *state;
    phantom(at);
    for (int p = 0; p < PRIORS; p++) {
        reconstruct_one(at, priors[p]);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) assert_same(at, NULL, ways[i], priors[p], 2e-5);
    }
}

static void ranks_change_nothing(void **state)
{
    static const struct {
        const char *launcher, *way;
    } cases[] = {{"mpirun -q -n 2", "--minibatch 2"},
                 {"mpirun -q -n 3", "--node-weights 3,1,2 --partitions 3"},
                 {"mpirun -q -n 4", "--grid 4x1 --minibatch 1"},
                 {"mpirun -q -n 4", "--node-weights 1,0.01,1,1 --overlap no"}}; /* one rank without a slice */
    const char *const at = *state;
    phantom(at);
    for (int p = 0; p < PRIORS; p++) {
        reconstruct_one(at, priors[p]);
        for (size_t i = p == 0 ? 0 : 2; i < (p == 0 ? sizeof cases / sizeof *cases : 3); i++)
            assert_same(at, cases[i].launcher, cases[i].way, priors[p], 2e-5);
    }
}

/* More ranks than slices. */
static void ranks_without_slices_are_idle(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 32 --angles 20 --slices 2");
    CliRun run = {.directory = at, .launcher = "mpirun -q -n 4"};
    cli_start(&run, "recon p.h5 -o v.h5 --rotation-axis 15.5 --prior-dimensions 3 --regularization 0.1 %s", quiet);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
}

/* A slice that is alone is that of 2-D, to the bit. */
static void one_slice_is_that_of_a_plane(void **state)
{
    const char *const at = *state;
    static const char *const words[] = {"--subsets 1 --iterations 30", "--prior huber", "--prior qggmrf"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 40 --slices 1 --noise 0.02", SIDE);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        float *volume[2];
        for (int d = 2; d <= 3; d++) {
            cli_works(at, "recon p.h5 -o v.h5 --rotation-axis 31.5 --regularization 0.1 --prior-dimensions %d %s %s", d,
                      words[i], quiet);
            volume[d - 2] = cli_read_volume(at, "v.h5", 1, SIDE);
        }
        const double off = cli_difference((int64_t)SIDE * SIDE, volume[1], volume[0]);
        print_message("%s: %.2g\n", words[i], off);
        assert_true(off <= (i == 0 ? 0 : 0.01)); /* the bound of the curvature knows two slices more */
        free(volume[0]);
        free(volume[1]);
    }
}

/* Rows, binning, a mask, bounds, a start and a scan of line integrals go together with it. */
static void other_settings_work_with_it(void **state)
{
    const char *const at = *state;
    unsigned char mask[SIDE * SIDE];
    phantom(at);
    for (int i = 0; i < SIDE * SIDE; i++) mask[i] = i % SIDE > 12;
    cli_write_npy(at, "mask.npy", "|u1", "(64, 64)", mask, sizeof mask);
    cli_works(at,
              "recon p.h5 -o v.h5 --rotation-axis 31.5 --prior-dimensions 3 --start-row 1 --end-row 8 --mask mask.npy "
              "--maximum 0.03 --regularization 0.1 %s",
              quiet);
    float *volume = cli_read_volume(at, "v.h5", ROWS, SIDE);
    double most = 0;
    for (int64_t i = 0; i < (int64_t)ROWS * SIDE * SIDE; i++) {
        assert_true(volume[i] >= 0 && volume[i] <= 0.03F);
        if (i % SIDE <= 12) assert_true(volume[i] == 0);
        most = fmax(most, (double)volume[i]);
    }
    assert_true(most > 0.01);
    free(volume);
    cli_works(at,
              "recon p.h5 -o w.h5 --rotation-axis 31.5 --prior-dimensions 3 --start-row 1 --end-row 8 --start v.h5 "
              "--prior huber --regularization 0.1 --weights none --iterations 2 %s",
              quiet);
    cli_works(at, "recon p.h5 -o b.h5 --rotation-axis 31.5 --prior-dimensions 3 --binning 2 --regularization 0.1 %s",
              quiet);
    free(cli_read_volume(at, "b.h5", FEW / 2, SIDE / 2));
    cli_works(at, "recon p.h5 -o none.h5 --rotation-axis 31.5 --prior-dimensions 3 --regularization 0 %s", quiet);
    cli_works(at,
              "recon p.h5 -o tiff --rotation-axis 31.5 --prior-dimensions 3 --save-format tiff --regularization 0.1 %s",
              quiet);
}

/* The plan has all slices in memory, and a run needs no more. */
static void memory_is_planned(void **state)
{
    const char *const at = *state;
    static const char words[] = "plan --columns 256 --slices 64 --angles 90 --workers 2 --prior-dimensions 3";
    CliRun run = {.directory = at};
    cli_start(&run, "%s", words);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.out, "\nslices       64 of a group, in slabs of "));
    cli_free(&run);
    run = (CliRun){.directory = at};
    cli_start(&run, "%s --memory 100MiB", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 100 MiB | # MiB | --memory | --prior-dimensions 2");
    run = (CliRun){.directory = at};
    cli_start(&run, "%s --memory 100MiB --ranks 2", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 100 MiB | # MiB | --memory | --prior-dimensions 2");
}

/* A run keeps within the memory that the refusal asks for. */
static void refused_memory_would_do(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_works(at, "phantom -o p.h5 --size 96 --angles 30 --slices 40");
    cli_start(&run, "recon p.h5 -o v.h5 --rotation-axis 47.5 --prior-dimensions 3 --memory 60MiB");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const double needed = cli_number_after(run.err, "allowed: --memory ", NULL);
    cli_free(&run);
    run = (CliRun){.directory = at};
    cli_start(&run, "recon p.h5 -o v.h5 --rotation-axis 47.5 --prior-dimensions 3 --memory %.0fMiB %s", needed, quiet);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.err, "slices: 40, 40 at a time"));
    cli_free(&run);
}

static void what_it_cannot_do_is_refused(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 40 --angles 9 --slices 2");
    cli_refuses(at, "--prior-dimensions | --algorithm cg | --algorithm fista",
                "recon p.h5 -o v.h5 --algorithm cg --prior-dimensions 3");
    cli_refuses(at, "--prior-dimensions | 3 | --reconstruction-type try | 2",
                "recon p.h5 -o v --reconstruction-type try --algorithm fista --prior-dimensions 3");
    cli_refuses(at, "--sweep | 'prior-dimensions=2,3' | NAME=VALUES | rotation-axis=290:300:0.5",
                "recon p.h5 -o v --reconstruction-type try --algorithm fista --sweep prior-dimensions=2,3");
    cli_refuses(at, "--tolerance | 0.1 | --prior-dimensions 3 | 0 | --prior-dimensions 2",
                "recon p.h5 -o v.h5 --prior-dimensions 3 --tolerance 0.1");
    cli_refuses(at, "--resume | --prior-dimensions 3 | --prior-dimensions 2",
                "recon p.h5 -o v.h5 --prior-dimensions 3 --resume");
    cli_refuses(at, "--grid | 1x2 | --grid Nx1 | --algorithm cg",
                "recon p.h5 -o v.h5 --algorithm fista --prior-dimensions 3 --grid 1x2");
}

int cli_volume_prior_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(volume_is_nearer_to_the_truth),
        CLI_TEST(division_changes_nothing),
        CLI_ONE_CORE(one_slice_is_that_of_a_plane),
        CLI_ONE_CORE(other_settings_work_with_it),
        CLI_TEST(memory_is_planned),
        CLI_TEST(refused_memory_would_do),
        CLI_TEST(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests_name("volume_prior", tests, NULL, NULL);
}

int cli_volume_prior_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(ranks_change_nothing),
        CLI_TEST(ranks_without_slices_are_idle),
    };
    return cmocka_run_group_tests_name("volume_prior_ranks", tests, NULL, NULL);
}
