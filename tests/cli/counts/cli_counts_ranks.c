/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, ranks that share the rows of a system matrix: the images are those of one rank, to rounding, and the
 * same bits in every run. */
#include "cli.h"

#include <math.h>

enum { SLICES = 6, SIZE = 38, SETS = 3, VOXELS = SLICES * SIZE * SIZE };

#define RING   "phantom --geometry pet --crystals 24x4x2 -o ring.csr4"
#define COUNTS "recon ring.counts --system-matrix ring.csr4 --pictures no --report none --overwrite"

static void run_ranks(const char *directory, int ranks, const char *words, CliRun *run)
{
    char launcher[64];
    snprintf(launcher, sizeof launcher, "mpirun -q -n %d", ranks);
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, COUNTS " -o many.h5 --workers 1 %s", words);
    cli_wait(run);
}

static void works_with(const char *directory, int ranks, const char *words)
{
    CliRun run;
    run_ranks(directory, ranks, words, &run);
    if (run.exit_code != 0) fail_msg("%d ranks, %s: exit code %d\n%s", ranks, words, run.exit_code, run.err);
    cli_free(&run);
}

static double *read_images(const char *directory, const char *name)
{
    static const int64_t size[] = {SETS, SLICES, SIZE, SIZE};
    return cli_read_doubles(directory, name, "/exchange/data", 4, size);
}

/* ‖many − one‖/‖one‖. */
static double images_off(const double *many, const double *one)
{
    double off = 0, norm = 0;
    for (int64_t i = 0; i < (int64_t)SETS * VOXELS; i++) {
        off += (many[i] - one[i]) * (many[i] - one[i]);
        norm += one[i] * one[i];
    }
    return sqrt(off / norm);
}

static void assert_like_one_rank(const char *directory, int ranks, const char *words)
{
    works_with(directory, ranks, words);
    double *one = read_images(directory, "one.h5"), *many = read_images(directory, "many.h5");
    const double off = images_off(many, one);
    if (!(off < 1e-5)) fail_msg("%d ranks, %s: off by %g", ranks, words, off);
    free(one);
    free(many);
}

static void any_ranks_make_the_same_images(void **state)
{
    static const char *const ways[] = {"--algorithm mlem --iterations 6",
                                       "--algorithm osem --subsets 4 --iterations auto --additive ring.additive",
                                       "--algorithm bsrem --subsets 4 --iterations 3 --additive ring.additive",
                                       "--algorithm cg --iterations 4", "--algorithm sirt --iterations 4"};
    const char *const at = *state;
    cli_works(at, RING " --replicates 3 --background 0.2");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[200];
        cli_works(at, COUNTS " -o one.h5 %s", ways[i]);
        for (int ranks = 2; ranks <= 4; ranks += 2) assert_like_one_rank(at, ranks, ways[i]);
        snprintf(line, sizeof line, "%s --node-weights 3,1", ways[i]);
        assert_like_one_rank(at, 2, line);
    }
}

/* Ranks share the orbits of a folded matrix. */
static void any_ranks_fold(void **state)
{
    static const char *const ways[] = {"--algorithm mlem --iterations 6",
                                       "--algorithm osem --subsets 4 --iterations 3 --additive ring.additive",
                                       "--algorithm cg --iterations 4", "--algorithm sirt --iterations 4"};
    const char *const at = *state;
    cli_works(at, RING " --replicates 3 --background 0.2 --mirrors folded");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[200];
        cli_works(at, COUNTS " -o one.h5 --mirrors unfolded %s", ways[i]);
        snprintf(line, sizeof line, "%s --mirrors folded --node-weights 3,1", ways[i]);
        assert_like_one_rank(at, 2, line);
    }
}

/* Sets that are kept by different ranks, and matrices that each rank keeps its part of. */
static void bits_do_not_change(void **state)
{
    static const char *const ways[] = {"--iterations 3 --operator-cache cache", "--iterations 3 --operator-cache cache",
                                       "--iterations 3 --save-every 2"};
    const char *const at = *state;
    cli_works(at, RING " --replicates 3");
    works_with(at, 2, "--iterations 3");
    double *first = read_images(at, "many.h5");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        works_with(at, 2, ways[i]);
        double *next = read_images(at, "many.h5");
        assert_memory_equal(first, next, (size_t)SETS * VOXELS * sizeof *first);
        free(next);
    }
    assert_true(cli_file_size(at, "many_iteration_00002.h5") > 0);
    free(first);
}

static void refusals(void **state)
{
    CliRun run;
    cli_works(*state, RING);
    run_ranks(*state, 2, "--node-weights 1,2,3", &run);
    cli_assert_ended(&run, 2, "node-weights | 3 numbers | 2 processes");
}

int cli_counts_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(any_ranks_make_the_same_images),
        CLI_TEST(any_ranks_fold),
        CLI_TEST(bits_do_not_change),
        CLI_TEST(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
