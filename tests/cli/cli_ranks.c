/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, ranks: several processes make the same volume as one, for every grid, topology and way of
 * communication. All of them end together. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>

enum { SLICES = 5, SIZE = 100, ITERATIONS = 5 };

static const char scan[] = "phantom -o scan.h5 --size 100 --angles 45 --slices 5 --noise 0.01";

/* How several processes are started, and how they share the work. */
typedef struct Way {
    int ranks;
    const char *words;
} Way;

static const Way ways[] = {
    {1, "--topology nodes=3,sockets=2,workers=2"},
    {1, "--topology sockets=2,workers=2"},
    {2, "--grid 2x1"},
    {2, "--grid 1x2 --overlap no"},
    {2, "--grid 1x2 --topology nodes=4,sockets=2,workers=3"},
    {3, "--grid 1x3 --minibatch 2 --communication direct --topology workers=2"},
    {3, "--grid 1x3 --minibatch 1 --node-weights 1,3,2"},
    {4, "--grid 2x2 --topology sockets=2,workers=2"},
    {4, "--grid 1x4 --overlap no --communication direct"},
    {4, "--grid 3x1"},
    {8, "--grid 8x1"}, /* more than there are slices */
};
#define WAYS (sizeof ways / sizeof *ways)

static void run_ranks(const char *directory, int ranks, const char *words, CliRun *run)
{
    char launcher[64];
    snprintf(launcher, sizeof launcher, "mpirun -q -n %d", ranks);
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, "recon scan.h5 -o many.h5 --overwrite --rotation-axis 49.5 %s", words);
    cli_wait(run);
}

static double residuals_off(const char *directory)
{
    const int64_t size[] = {SLICES, ITERATIONS + 1};
    double *one = cli_read_doubles(directory, "one.h5", "/process/residuals", 2, size), most = 0;
    double *many = cli_read_doubles(directory, "many.h5", "/process/residuals", 2, size);
    for (int64_t i = 0; i < SLICES * (ITERATIONS + 1); i++) most = fmax(most, fabs(many[i] / one[i] - 1));
    free(one);
    free(many);
    return most;
}

static double volumes_off(const char *directory)
{
    float *one = cli_read_volume(directory, "one.h5", SLICES, SIZE);
    float *many = cli_read_volume(directory, "many.h5", SLICES, SIZE);
    const double off = cli_difference((int64_t)SLICES * SIZE * SIZE, many, one);
    free(one);
    free(many);
    return off;
}

/* The volume is of single numbers; residuals tell what double precision does. */
static void assert_same(const char *directory, const char *words, int ranks, const char *way, double volume_within,
                        double residuals_within)
{
    char line[256];
    CliRun run;
    snprintf(line, sizeof line, "%s %s", words, way);
    run_ranks(directory, ranks, line, &run);
    if (run.exit_code != 0) fail_msg("%d ranks, %s: exit code %d\n%s", ranks, line, run.exit_code, run.err);
    cli_free(&run);
    const double off = volumes_off(directory), residuals = residuals_within > 0 ? residuals_off(directory) : 0;
    if (!(off <= volume_within) || !(residuals <= residuals_within))
        fail_msg("%d ranks, %s: the volume is off by %g, residuals by %g", ranks, line, off, residuals);
}

/* Every `every`-th way, the last one among them. */
static void assert_ways(const char *directory, const char *words, size_t every, double volume_within,
                        double residuals_within)
{
    cli_works(directory, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", words);
    for (size_t i = (WAYS - 1) % every; i < WAYS; i += every)
        assert_same(directory, words, ways[i].ranks, ways[i].words, volume_within, residuals_within);
}

/* Rank 0 writes the page, which tells of all ranks. */
static void report_of_all_ranks(void **state)
{
    static const char *const word[] = {"<td>ranks</td><td>3</td>", "<td>between ranks</td><td>", "of each rank</td>",
                                       "Row 50 of all 9 slices", "relative residual"};
    CliRun run;
    cli_works(*state, "phantom -o scan.h5 --size 100 --angles 45 --slices 9");
    run_ranks(*state, 3, "--grid 1x3 --algorithm cg --iterations 2", &run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.err, "sinodag: report: many.html\n"));
    cli_free(&run);
    const size_t bytes = (size_t)cli_file_size(*state, "many.html");
    char *page = cli_read_bytes(*state, "many.html", bytes);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (!memmem(page, bytes, word[i], strlen(word[i]))) fail_msg("'%s' is not in many.html", word[i]);
    if (memmem(page, bytes, "<td>between ranks</td><td>0 ", 28)) fail_msg("no bytes went from rank to rank");
    free(page);
}

/* fista has whole slices on each rank, and all ranks the strength that rank 0 finds. */
static void fista_of_ranks(void **state)
{
    static const char words[] = "--algorithm fista --iterations 5";
    CliRun run;
    cli_works(*state, scan);
    cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", words);
    assert_same(*state, words, 2, "", 2e-5, 1e-5);
    assert_same(*state, words, 8, "--grid 8x1", 2e-5, 1e-5);
    run_ranks(*state, 2, "--algorithm fista --grid 1x2", &run);
    cli_assert_ended(&run, 2, "--grid | 1x2 | --grid Nx1 | --algorithm cg");
}

/* Ranks share the slices that are searched for a number of iterations; one of these has no slice. */
static void iterations_of_ranks(void **state)
{
    static const char words[] = "--algorithm cg --iterations auto";
    cli_works(*state, scan);
    cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", words);
    assert_same(*state, words, 2, "", 2e-5, 0);
    assert_same(*state, words, 6, "--grid 6x1", 2e-5, 0);
}

/* Every rank that shares slices reads them, and fills its own voxels; its part of the support is that of its voxels. */
static void starts_of_ranks(void **state)
{
    static const char *const words[] = {"--algorithm sirt --support-ratio 0.7", "--algorithm cg --mask mask.h5",
                                        "--algorithm mlem --projector rotate"};
    cli_works(*state, scan);
    cli_works(*state, "recon scan.h5 -o first.h5 --rotation-axis 49.5 --algorithm sirt --nonnegativity yes");
    cli_works(*state, "recon scan.h5 -o mask.h5 --rotation-axis 49.5 --algorithm sirt --nonnegativity yes --end-row 1");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[120];
        snprintf(text, sizeof text, "%s --iterations 5 --start first.h5", words[i]);
        cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", text);
        assert_same(*state, text, 2, "--grid 2x1", 1e-5, 1e-5);
        assert_same(*state, text, 2, "--grid 1x2", 1e-5, 1e-5);
    }
}

static void single_precision(void **state)
{
    cli_works(*state, scan);
    assert_ways(*state, "--algorithm cg --iterations 5", 1, 1e-5, 1e-5);
}

static void double_precision_without_symmetry(void **state)
{
    cli_works(*state, scan);
    assert_ways(*state, "--algorithm cg --iterations 5 --precision double --symmetry no", 3, 1e-7, 1e-12);
}

static void other_algorithms_and_precisions(void **state)
{
    static const struct {
        const char *words;
        double within, residuals_within;
    } other[] = {{"--algorithm sirt --iterations 5 --symmetry no", 1e-5, 1e-5},
                 {"--algorithm fbp --symmetry no", 1e-5, 0},
                 {"--precision mixed --algorithm cg --iterations 5 --symmetry no", 2e-3, 2e-3},
                 {"--precision half --algorithm cg --iterations 5 --symmetry no", 2e-2, 2e-2}};
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", other[i].words);
        assert_same(*state, other[i].words, 3, "--grid 1x3 --topology workers=2", other[i].within,
                    other[i].residuals_within);
    }
}

/* Counts behind a disk; projections 7 and 8, column 30 and some pixels of each slice have none. */
static uint16_t faulty_count(uint64_t angle, uint64_t row, uint64_t column)
{
    const double s = (double)column - 52 - 3 * cos(0.07 * (double)angle), depth = fmax(900 - s * s, 0);
    if (angle == 7 || angle == 8 || column == 30 || (angle * 7 + row * 5 + column) % 43 == 0) return 0;
    return (uint16_t)(1000 * exp(-0.02 * sqrt(depth)) - 20 * (double)row);
}

/* Rays without a value have weight 0 on whatever rank they are, and are told of as one process tells of them. */
static void undefined_values(void **state)
{
    static const int few[] = {1, 7};
    static const char *const words[] = {"--algorithm cg --iterations 5",
                                        "--iterations 5 --algorithm sirt",
                                        "--iterations 5 --algorithm osem --subsets 3",
                                        "--algorithm cg --iterations 5 --weights counts",
                                        "--algorithm sirt --iterations 5 --weights counts",
                                        "--algorithm cg --iterations 5 --weights w.npy",
                                        "--algorithm sirt --iterations 5 --weights w.npy"};
    float *weights = calloc((size_t)45 * SLICES * SIZE, sizeof *weights);
    for (int i = 0; i < 45 * SLICES * SIZE; i++) weights[i] = (float)(i * 7 % 13) / 4;
    cli_write_npy(*state, "w.npy", "<f4", "(45, 5, 100)", weights, (size_t)45 * SLICES * SIZE * sizeof *weights);
    free(weights);
    CliScan faulty = cli_scan;
    faulty.angles = faulty.theta_count = 45;
    faulty.rows = SLICES;
    faulty.columns = SIZE;
    faulty.count = faulty_count;
    cli_write_scan(*state, "scan.h5", &faulty);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 --partitions 1 %s", words[i]);
        for (size_t w = 0; w < sizeof few / sizeof *few; w++)
            assert_same(*state, words[i], ways[few[w]].ranks, ways[few[w]].words, 5e-5, 1e-3);
    }
    CliRun run;
    run_ranks(*state, 4, "--algorithm cg --iterations 1 --grid 2x2", &run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "projections without any value: 2 of 45, they have weight 0; number 7 to 8\n"));
    assert_non_null(strstr(run.err, "columns without any value: 1 of 100, they have weight 0; column 30\n"));
    assert_non_null(strstr(run.err, "other undefined values in 5 of 5 slices have weight 0\n"));
    cli_free(&run);
}

/* All slices have stopped long before the last iteration, in every process alike. */
static void stopping_early(void **state)
{
    cli_works(*state, scan);
    cli_works(
        *state,
        "recon scan.h5 -o one.h5 --rotation-axis 49.5 --algorithm cg --iterations 60 --tolerance 0.2 --minibatch 2");
    assert_same(*state, "--algorithm cg --iterations 60 --tolerance 0.2 --minibatch 2", 2, "--grid 1x2 --symmetry no",
                1e-4, 0);
}

/* fbp of a half acquisition needs whole slices on a rank: it takes such a grid by itself, and refuses another. */
static void half_acquisitions_of_ranks(void **state)
{
    const char *const at = *state;
    static const char input[] = "recon disks.bin --theta disks_theta.bin --columns 64 --rotation-axis 14 --algorithm "
                                "fbp --pictures no --overwrite";
    CliRun run = {.directory = at, .launcher = "mpirun -q -n 2"};
    cli_write_disks(at, 359, 2 * M_PI, 14, 44, 30);
    cli_works(at, "%s -o one.h5", input);
    cli_start(&run, "%s -o many.h5", input);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "2 in a grid of 2x1 (each slice on one rank, as fbp completes projections"));
    cli_free(&run);
    float *one = cli_read_volume(at, "one.h5", 1, 100), *many = cli_read_volume(at, "many.h5", 1, 100);
    assert_memory_equal(one, many, 100 * 100 * sizeof *one);
    free(one);
    free(many);
    run = (CliRun){.directory = at, .launcher = "mpirun -q -n 2"};
    cli_start(&run, "%s -o many.h5 --grid 1x2", input);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(testing_tells(run.err, "--grid | 1x2 | fbp | half acquisition | --grid Nx1 | --algorithm cg"));
    cli_free(&run);
}

/* Without ray lengths, ranks that share a slice share the angles, and add up voxels. */
static void angles_are_shared(void **state)
{
    static const char *const words[] = {
        "--algorithm cg --iterations 5 --projector rotate",
        "--algorithm sirt --iterations 5 --projector rotate --interpolation nearest --partitions 3",
        "--algorithm osem --subsets 3 --iterations 5 --projector rotate --interpolation cubic --minibatch 2",
        "--algorithm fbp --projector rotate",
        "--algorithm fbp --projector pixels",
        "--algorithm fbp --projector gridding"};
    static const Way shared[] = {{3, "--grid 1x3 --overlap no"}, {4, "--grid 2x2"}};
    cli_works(*state, scan);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const bool iterates = !strstr(words[i], "fbp");
        cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s", words[i]);
        for (size_t w = 0; w < sizeof shared / sizeof *shared; w++)
            assert_same(*state, words[i], shared[w].ranks, shared[w].words, 1e-5, iterates ? 1e-4 : 0);
    }
}

/* Without ray lengths ranks have slices of their own, with the bits of one process. */
static void nothing_stored(void **state)
{
    static const char *const words[] = {"--algorithm cg --iterations 5 --projector rotate",
                                        "--algorithm fbp --projector pixels", "--algorithm fbp --projector gridding",
                                        "--algorithm cg --iterations 5 --projector toeplitz"};
    cli_works(*state, scan);
    for (int i = 0; i < 4; i++) {
        cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 %s --minibatch 1", words[i]);
        assert_same(*state, words[i], 2, "--minibatch 1 --grid 2x1", 0,
                    i == 1 || i == 2 ? 0 : 1e-12); /* fbp has none */
    }
    /* The search for the strength has operators of its own, which ranks without slices open as well. */
    cli_works(*state, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 --algorithm fista --projector toeplitz "
                      "--iterations 10");
    assert_same(*state, "--algorithm fista --projector toeplitz --iterations 10", 8, "--grid 8x1", 0, 0);
    CliRun run;
    run_ranks(*state, 2, "--projector toeplitz --grid 1x2", &run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(testing_tells(run.err, "--grid | 1x2 | --projector toeplitz | --grid Nx1 | --projector rays"));
    cli_free(&run);
}

/* Files beside the volume, and what a run tells, are those of one process. */
static void other_outputs(void **state)
{
    CliRun run;
    char path[TESTING_PATH], other[TESTING_PATH];
    cli_works(*state, scan);
    cli_works(
        *state,
        "recon scan.h5 -o one.h5 --rotation-axis 49.5 --algorithm cg --iterations 2 --save-format both --symmetry no");
    run_ranks(*state, 3,
              "--algorithm cg --iterations 2 --save-format both --grid 1x3 --symmetry no --profile --graph many.dot",
              &run);
    assert_int_equal(run.exit_code, 0);
    assert_true(cli_number_after(run.err, "sinodag: partial ", NULL) > 0);
    assert_true(cli_number_after(run.err, "sinodag: overlap: messages were under way for ", NULL) > 0);
    assert_true(cli_number_after(run.err, "sinodag: sums of nodes to others: ", NULL) > 0);
    assert_null(strstr(strstr(run.err, "sinodag: slices: ") + 1, "sinodag: slices: ")); /* told once */
    cli_free(&run);
    for (int64_t i = 0; i < SLICES; i++) {
        char one[64], many[64];
        snprintf(one, sizeof one, "one/recon_%05" PRId64 ".tiff", i);
        snprintf(many, sizeof many, "many/recon_%05" PRId64 ".tiff", i);
        float *a = cli_read_tiff(*state, one, SIZE), *b = cli_read_tiff(*state, many, SIZE);
        assert_true(cli_difference((int64_t)SIZE * SIZE, b, a) < 1e-5);
        free(a);
        free(b);
    }
    assert_int_equal(cli_tool("cmp", testing_path(path, *state, "one_sinogram_00002.png"),
                              testing_path(other, *state, "many_sinogram_00002.png")),
                     0);
    assert_true(cli_exists(*state, "many.dot"));
}

static void assert_refused(const char *directory, int ranks, const char *words, const char *message)
{
    CliRun run;
    char *before = cli_listing(directory);
    run_ranks(directory, ranks, words, &run);
    cli_assert_ended(&run, 2, message);
    char *after = cli_listing(directory);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void what_does_not_fit_is_refused(void **state)
{
    cli_works(*state, scan);
    assert_refused(*state, 2, "--grid 3x1", "--grid | 3x1 | 3 ranks | 2");
    assert_refused(*state, 2, "--bogus", "--bogus | --help");
    assert_refused(*state, 3, "--node-weights 1,2", "--node-weights | 2 numbers | 3 ranks");
    assert_refused(*state, 2, "--reconstruction-type try", "reconstruction-type | try | 2 processes | one");
    CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2"};
    cli_start(&run, "info scan.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "info | 2 MPI processes | one");
}

/* Process r runs in the folder rank<r>, where its number is kept in the file "pid". */
static void make_folders(const char *directory)
{
    char path[TESTING_PATH];
    cli_write_text(directory, "into_rank",
                   "#!/bin/sh\ncd \"rank$OMPI_COMM_WORLD_RANK\" && echo $$ >pid && exec \"$@\"\n");
    assert_int_equal(chmod(testing_path(path, directory, "into_rank"), 0755), 0);
    for (int r = 0; r < 2; r++) {
        char name[] = "rank0";
        name[4] = (char)('0' + r);
        assert_int_equal(mkdir(testing_path(path, directory, name), 0755), 0);
    }
}

static void one_cannot_read(void **state)
{
    CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2 ./into_rank"};
    make_folders(*state);
    cli_works(*state, "phantom -o rank0/scan.h5 --size 32 --angles 20 --slices 2");
    cli_start(&run, "recon scan.h5 -o ../out.h5 --grid 1x2");
    cli_wait(&run);
    assert_string_equal(run.err, "sinodag: scan.h5: No such file or directory\n");
    cli_assert_ended(&run, 2, "scan.h5 | No such file");
    assert_false(cli_exists(*state, "out.h5") || cli_exists(*state, "out.h5.partial"));
}

/* The second one's writes of slices fail. */
static void one_cannot_write(void **state)
{
    char launcher[TESTING_PATH];
    const char *library = getenv("SINODAG_BLOCK_WRITE");
    assert_non_null(library);
    snprintf(launcher, sizeof launcher, "env LD_PRELOAD=%s FULL_WRITE=.tiff BLOCK_RANK=1 mpirun -q -n 2", library);
    CliRun run = {.directory = *state, .launcher = launcher};
    cli_works(*state, scan);
    cli_start(
        &run,
        "recon scan.h5 -o out --save-format tiff --grid 2x1 --algorithm cg --iterations 2 --pictures no --report none");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 1);
    const char *told = strstr(run.err, "sinodag: out/recon_");
    assert_non_null(told);
    assert_null(strstr(told + 1, "sinodag: out/")); /* once */
    assert_non_null(strstr(told, "No space left on device; rows 0 to 2 are complete as TIFF in out"));
    cli_free(&run);
}

/* Each writes its slices to their places. */
static void one_stack(void **state)
{
    CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2"};
    char one[TESTING_PATH], two[TESTING_PATH];
#define STACK                                                                                                          \
    "recon scan.h5 --save-format tiff-stack --output-type uint8 --rotation-axis 49.5 --algorithm fbp --minibatch 1 "
    cli_works(*state, scan);
    cli_works(*state, STACK "-o one.tif");
    cli_start(&run, STACK "-o two.tif --grid 2x1");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    cli_free(&run);
    assert_int_equal(cli_tool("cmp", testing_path(one, *state, "one.tif"), testing_path(two, *state, "two.tif")), 0);
}

/* Each rank has a folder of the name of its own. */
static void outputs_in_different_folders(void **state)
{
    static const struct {
        const char *format, *message;
    } output[] = {{"tiff", "out | another folder | rank 0 | that all ranks share"},
                  {"hdf5", "out.partial | another file | rank 0 | that all ranks share"},
                  {"zarr", "out.slices.partial | another file | rank 0 | that all ranks share"},
                  {"tiff-stack", "out.partial | another file | rank 0 | that all ranks share"}};
    cli_works(*state, scan);
    make_folders(*state);
    cli_write_text(*state, "rank1/out.partial", "of a run that was killed long ago");
    cli_write_text(*state, "rank1/out.slices.partial",
                   "of a run that was killed long ago, and wrote 64 bytes or more of it");
    for (size_t i = 0; i < sizeof output / sizeof *output; i++) {
        CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2 ./into_rank"};
        cli_start(&run,
                  "recon ../scan.h5 -o out --save-format %s --grid 2x1 --algorithm cg --iterations 2 --pictures no "
                  "--report none",
                  output[i].format);
        cli_wait(&run);
        cli_assert_ended(&run, 2, output[i].message);
        assert_false(cli_exists(*state, "rank0/out") || cli_exists(*state, "rank1/out"));
    }
}

static void one_is_killed(void **state)
{
    CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2 ./into_rank"};
    char path[TESTING_PATH], number[32];
    cli_works(*state, scan);
    make_folders(*state);
    cli_start(&run,
              "recon ../scan.h5 -o ../out.h5 --grid 1x2 --algorithm cg --iterations 1000000 --rotation-axis 49.5");
    cli_await(&run, ", iteration ");
    FILE *file = fopen(testing_path(path, *state, "rank1/pid"), "r");
    assert_non_null(file);
    assert_non_null(fgets(number, sizeof number, file));
    fclose(file);
    const int64_t pid = strtoll(number, NULL, 10);
    assert_true(pid > 1);
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    cli_wait(&run); /* comes to an end */
    assert_int_not_equal(run.exit_code, 0);
    assert_false(cli_exists(*state, "out.h5"));
    cli_free(&run);
}

/* Tasks `trace` of all ranks. */
static int64_t traces(const char *directory)
{
    static const char text[] = "\"name\": \"trace\", \"on\": \"cpu\", \"count\": ";
    const size_t bytes = (size_t)cli_file_size(directory, "profile.json");
    char *profile = cli_read_bytes(directory, "profile.json", bytes);
    int64_t count = 0;
    for (const char *at = profile; (at = memmem(at, bytes - (size_t)(at - profile), text, strlen(text)));)
        count += strtoll(at += strlen(text), NULL, 10);
    free(profile);
    return count;
}

/* Ranks with other slices build the operator together: each super-tile is traced once, and no bit changes. */
static void built_together(void **state)
{
    static const char words[] = "--iterations 3 --minibatch 1 --workers 1";
    static const char *const division[] = {"--algorithm cg", "--algorithm cg --topology workers=3", "--algorithm osem"};
    const char *const at = *state;
    const int64_t voxels = (int64_t)SLICES * SIZE * SIZE;
    cli_works(at, scan);
    for (size_t i = 0; i < sizeof division / sizeof *division; i++) {
        cli_works(at, "recon scan.h5 -o one.h5 --overwrite --rotation-axis 49.5 --profile=profile.json %s %s", words,
                  division[i]);
        const int64_t alone = traces(at);
        float *one = cli_read_volume(at, "one.h5", SLICES, SIZE);
        for (int ranks = 2; ranks <= 4; ranks++) {
            char line[256];
            CliRun run;
            snprintf(line, sizeof line, "%s %s --profile=profile.json --grid %dx1", words, division[i], ranks);
            run_ranks(at, ranks, line, &run);
            if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", line, run.exit_code, run.err);
            cli_free(&run);
            float *many = cli_read_volume(at, "many.h5", SLICES, SIZE);
            assert_memory_equal(many, one, (size_t)voxels * sizeof *one);
            free(many);
            if (i == 0) assert_int_equal(traces(at), alone);
        }
        free(one);
    }
}

int cli_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(built_together),
        CLI_TEST(report_of_all_ranks),
        CLI_TEST(fista_of_ranks),
        CLI_TEST(iterations_of_ranks),
        CLI_TEST(starts_of_ranks),
        CLI_TEST(single_precision),
        CLI_TEST(double_precision_without_symmetry),
        CLI_TEST(other_algorithms_and_precisions),
        CLI_TEST(undefined_values),
        CLI_TEST(stopping_early),
        CLI_TEST(half_acquisitions_of_ranks),
        CLI_TEST(angles_are_shared),
        CLI_TEST(nothing_stored),
        CLI_TEST(other_outputs),
        CLI_TEST(what_does_not_fit_is_refused),
        CLI_TEST(one_cannot_read),
        CLI_TEST(one_cannot_write),
        CLI_TEST(one_stack),
        CLI_TEST(outputs_in_different_folders),
        CLI_TEST(one_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
