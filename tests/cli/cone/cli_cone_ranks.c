/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, ranks of a cone beam: every grid of ranks makes the volume that one rank makes, sends no more bytes
 * than the geometry needs, and tells what one rank tells. */
#include "cli.h"
#include "memory.h"

#include <signal.h>

enum { SIZE = 64, ROWS = 128, ANGLES = 128 };

static const char scan[] =
    "phantom -o scan.h5 --geometry cone --size 64 --slices 128 --angles 128 --noise 0.01 --seed 3";

#define CONE "recon scan.h5 --geometry cone --rotation-axis 31.5 --overwrite"
#define FDK  CONE " --algorithm fdk"

/* FDK, unless the words name another algorithm. */
static const char *algorithm_of(const char *words)
{
    return strstr(words, "--algorithm") ? "" : " --algorithm fdk";
}

static void run_ranks(const char *directory, int ranks, const char *words, CliRun *run)
{
    char launcher[64];
    snprintf(launcher, sizeof launcher, "mpirun -q -n %d", ranks);
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, CONE " -o many.h5 --profile%s %s", algorithm_of(words), words);
    cli_wait(run);
    if (run->exit_code != 0) fail_msg("%d ranks, %s: exit code %d\n%s", ranks, words, run->exit_code, run->err);
}

static double volumes_off(const char *directory)
{
    float *one = cli_read_volume(directory, "one.h5", ROWS, SIZE),
          *many = cli_read_volume(directory, "many.h5", ROWS, SIZE);
    const double off = cli_difference((int64_t)ROWS * SIZE * SIZE, many, one);
    free(one);
    free(many);
    return off;
}

/* Ranks of one column add the same numbers in the same order as one rank; columns make sums of their own. Lines in
 * mixed precision go both ways, too. */
static void any_grid_makes_the_same_volume(void **state)
{
    static const struct {
        int ranks;
        const char *words;
        double within;
    } ways[] = {{3, "--workers 1", 0},
                {4, "--grid 2x2 --workers 1", 1e-6},
                {2, "--grid 2x1 --workers 1", 0},
                {2, "--grid 1x2 --workers 1", 1e-6},
                {4, "--grid 4x1 --workers 1", 0}};
    const char *const at = *state;
    cli_works(at, "%s", scan);
    for (int precision = 0; precision < 2; precision++) {
        cli_works(at, FDK " -o one.h5 --precision %s", precision ? "mixed" : "single");
        for (size_t i = 0; i < (precision ? 2 : sizeof ways / sizeof *ways); i++) {
            char words[100];
            CliRun run;
            snprintf(words, sizeof words, "%s --precision %s", ways[i].words, precision ? "mixed" : "single");
            run_ranks(at, ways[i].ranks, words, &run);
            cli_free(&run);
            const double off = volumes_off(at);
            if (!(off <= ways[i].within)) fail_msg("%d ranks, %s: off by %g", ways[i].ranks, words, off);
        }
    }
}

/* Each rank takes zingers and stripes out of the whole scan. */
static void ranks_have_stages_of_whole_sinograms(void **state)
{
    static const char *const ways[] = {"--grid 2x1", "--grid 1x2", "--algorithm cg --iterations 2"};
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --geometry cone --size 64 --slices 128 --angles 40 --noise 0.01 --seed 3");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        static const char stages[] = "--zinger-removal-method standard --remove-stripe-method sorting --workers 1";
        char words[200];
        CliRun run;
        snprintf(words, sizeof words, "%s %s", ways[i], stages);
        cli_works(at, CONE " -o one.h5%s %s", algorithm_of(words), i < 2 ? stages : words); /* a grid is of ranks */
        run_ranks(at, 2, words, &run);
        cli_free(&run);
        const double off = volumes_off(at);
        if (!(off <= 1e-6)) fail_msg("%s: off by %g", words, off);
    }
}

/* Ranks find the range of integers together. */
static void ranks_find_one_range(void **state)
{
    static const int64_t two = 2;
    const char *const at = *state;
    CliRun run;
    cli_works(at, "%s", scan);
    cli_works(at, FDK " -o one.h5 --output-type uint16");
    run_ranks(at, 2, "--output-type uint16 --grid 2x1 --workers 1", &run);
    cli_free(&run);
    double *one = cli_read_doubles(at, "one.h5", "/process/output_range", 1, &two);
    double *many = cli_read_doubles(at, "many.h5", "/process/output_range", 1, &two);
    assert_true(one[0] == many[0] && one[1] == many[1] && one[0] < one[1]);
    free(one);
    free(many);
}

/* Mixed precision sends half the bytes; a rank of a 1 × C grid sends (C − 1)/C of its voxels. */
static void messages_have_the_bytes_of_the_model(void **state)
{
    const char *const at = *state;
    double lines[2];
    cli_works(at, "%s", scan);
    for (int precision = 0; precision < 2; precision++) {
        CliRun run;
        run_ranks(at, 2, precision ? "--grid 2x1 --workers 1 --precision mixed" : "--grid 2x1 --workers 1", &run);
        lines[precision] = cli_number_after(run.err, "messages of all ranks: ", NULL);
        cli_free(&run);
    }
    /* Each rank gets half of the projections' lines: of both halves of 64 columns, at most the 64 outward rows that its
     * share is seen by, in whole cache lines. */
    const double most = 2 * (ANGLES / 2.0) * 2 * SIZE * 64 * 4;
    assert_true(lines[0] > most / 4 && lines[0] <= most + 1e5);
    assert_true(lines[1] > 0.5 * lines[0] && lines[1] < 0.51 * lines[0]);
    CliRun run;
    run_ranks(at, 4, "--grid 1x4 --workers 1", &run);
    const double voxels = 4.0 * ROWS * SIZE * SIZE, sent = cli_number_after(run.err, "of lines in columns, ", NULL);
    assert_true(sent >= 3 * voxels && sent < 3 * 1.3 * voxels);
    cli_free(&run);
}

/* The JSON object that plan prints; fails if plan refuses. The caller frees it. */
static char *plan_of(const char *directory, int ranks, const char *words)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan scan.h5 --geometry cone --workers 1 --json --ranks %d%s %s", ranks, algorithm_of(words),
              words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("plan of %d ranks, %s:\n%s", ranks, words, run.err);
    char *text = strdup(run.out);
    assert_non_null(text);
    cli_free(&run);
    return text;
}

/* A number of an object of the plan. */
static double planned(const char *plan, const char *object, const char *name)
{
    const char *const found = strstr(plan, object);
    if (!found) fail_msg("no %s:\n%s", object, plan);
    return cli_number_after(found, name, NULL);
}

/* recon tells the passes, the grid and the memory that plan has told, which are returned in bytes. */
static double assert_as_planned(const char *directory, int ranks, const char *words)
{
    char told[160], memory[24], one_worker[120];
    CliRun run;
    char *plan = plan_of(directory, ranks, words);
    const double bytes = planned(plan, "\"memory_bytes\"", "\"total\": ");
    snprintf(one_worker, sizeof one_worker, "--workers 1 %s", words);
    run_ranks(directory, ranks, one_worker, &run);
    snprintf(told, sizeof told, "passes over the projections: %g on 1 cores, memory: %s of ",
             planned(plan, "\"passes\"", "\"passes\": "), sino_bytes_text((int64_t)bytes, memory));
    if (!strstr(run.err, told)) fail_msg("%d ranks, %s: no '%s'\n%s", ranks, words, told, run.err);
    snprintf(told, sizeof told, "ranks: %d in a grid of %gx%g:", ranks, planned(plan, "\"grid\"", "\"rows\": "),
             planned(plan, "\"grid\"", "\"columns\": "));
    if (ranks > 1 && !strstr(run.err, told)) fail_msg("%d ranks, %s: no '%s'\n%s", ranks, words, told, run.err);
    cli_free(&run);
    free(plan);
    return bytes;
}

/* In as many passes as memory demands, and on grids that are chosen and given. */
static void plan_and_recon_agree(void **state)
{
    static const struct {
        int ranks;
        const char *grid;
    } ways[] = {{1, "auto"}, {2, "auto"}, {2, "1x2"}, {4, "auto"}, {4, "2x2"}};
    cli_works(*state, "%s", scan);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char words[80];
        snprintf(words, sizeof words, "--grid %s --memory 2GiB", ways[i].grid);
        const double total = assert_as_planned(*state, ways[i].ranks, words);
        snprintf(words, sizeof words, "--grid %s --memory %dMiB", ways[i].grid, (int)(total / 0x1p20) - 1);
        assert_as_planned(*state, ways[i].ranks, words);
    }
}

static void grids_that_do_not_fit_are_refused(void **state)
{
    CliRun run = {.directory = *state, .launcher = "mpirun -q -n 2"};
    cli_works(*state, "%s", scan);
    cli_start(&run, FDK " -o many.h5 --grid 3x1");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "grid | 3x1 | 2 ranks | auto");
    cli_start(&run, FDK " -o many.h5 --grid 2x1 --volume 64x64x2");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "2x1 | 2 slices | 128 projections | 1 rows | 4 columns");
}

/* A run of two ranks that is killed after it has stored some slices goes on. */
static void killed_ranks_go_on(void **state)
{
    const char *const at = *state;
    int kills = 0;
    cli_works(at, "%s", scan);
    cli_works(at, FDK " -o one.h5");
    for (int64_t bytes = 2500;; bytes += 1500) {
        CliRun run = {.directory = at, .launcher = "mpirun -q -n 2"};
        cli_start(&run, FDK " -o many.h5 --grid 2x1 --workers 1 --resume");
        (void)cli_await_size(&run, "many.h5.journal", bytes);
        kill(run.pid, SIGTERM); /* mpirun ends the ranks */
        cli_wait(&run);
        const bool done = run.exit_code == 0;
        cli_free(&run);
        if (done) break;
        kills++;
    }
    print_message("%d kills\n", kills);
    assert_true(volumes_off(at) == 0);
    assert_false(cli_exists(at, "many.h5.journal") || cli_exists(at, "many.h5.journal.1"));
}

#define SOLVE CONE " --pictures no --report none --max-repaired 1"

/* Undefined values of each detector row. */
static double *read_repaired(const char *directory, const char *name)
{
    const int64_t rows = ROWS;
    return cli_read_doubles(directory, name, "/process/repaired", 1, &rows);
}

/* Ranks of an iterative algorithm share the projections, of which each loads its own, and of every subset. */
static void ranks_solve_the_same_volume(void **state)
{
    static const struct {
        int ranks;
        const char *words;
    } ways[] = {{2, "--algorithm cg --iterations auto --saturation 51000"},
                {4, "--algorithm sirt --iterations 3"},
                {4, "--algorithm osem --subsets 3 --iterations 2 --saturation 51000"},
                {2, "--algorithm fista --subsets 3 --iterations 2 --saturation 51000"}};
    const char *const at = *state;
    cli_works(at, "%s", scan);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char words[200];
        CliRun run;
        cli_works(at, SOLVE " -o one.h5 %s", ways[i].words);
        snprintf(words, sizeof words, "--pictures no --report none --max-repaired 1 --workers 1 %s", ways[i].words);
        run_ranks(at, ways[i].ranks, words, &run);
        const double data = cli_number_after(run.err, "data: ", NULL);
        assert_true(data > 0 && data <= cli_number_after(run.err, " at most, ", NULL));
        cli_free(&run);
        const double off = volumes_off(at);
        if (!(off <= 1e-6)) fail_msg("%d ranks, %s: off by %g", ways[i].ranks, ways[i].words, off);
        double *one = read_repaired(at, "one.h5"), *many = read_repaired(at, "many.h5");
        assert_true(i == 1 ? one[0] == 0 : one[0] > 0);
        assert_memory_equal(one, many, ROWS * sizeof *one);
        free(one);
        free(many);
    }
}

/* Each rank knows the undefined values of its angles from its own journal. */
static void killed_ranks_solve_again(void **state)
{
    static const char *const words = "--algorithm sirt --iterations 1 --saturation 51000 --volume 64x64x256";
    enum { TALL = 256 };
    const char *const at = *state;
    int kills = 0;
    cli_works(at, "%s", scan);
    CliRun run = {.directory = at, .launcher = "mpirun -q -n 2"};
    cli_start(&run, SOLVE " -o one.h5 --workers 1 %s", words);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
    for (int64_t bytes = 2500;; bytes += 6000) {
        cli_start(&run, SOLVE " -o many.h5 --workers 1 --resume %s", words);
        (void)cli_await_size(&run, "many.h5.journal", bytes);
        kill(run.pid, SIGTERM);
        cli_wait(&run);
        const bool done = run.exit_code == 0;
        cli_free(&run);
        if (done) break;
        kills++;
    }
    print_message("%d kills\n", kills);
    float *one = cli_read_volume(at, "one.h5", TALL, SIZE), *many = cli_read_volume(at, "many.h5", TALL, SIZE);
    assert_memory_equal(one, many, sizeof *one * TALL * SIZE * SIZE);
    double *of_one = read_repaired(at, "one.h5"), *of_many = read_repaired(at, "many.h5");
    assert_memory_equal(of_one, of_many, ROWS * sizeof *of_one);
    free(one);
    free(many);
    free(of_one);
    free(of_many);
}

int cli_cone_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(any_grid_makes_the_same_volume),
        CLI_TEST(ranks_have_stages_of_whole_sinograms),
        CLI_TEST(ranks_find_one_range),
        CLI_TEST(messages_have_the_bytes_of_the_model),
        CLI_TEST(plan_and_recon_agree),
        CLI_TEST(grids_that_do_not_fit_are_refused),
        CLI_TEST(killed_ranks_go_on),
        CLI_TEST(ranks_solve_the_same_volume),
        CLI_TEST(killed_ranks_solve_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
