/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, resume: a run that is killed at any moment goes on with --resume, and its files are to the bit those of
 * an unbroken run. A run that differs is refused. SINODAG_TEST_KILLS is the number of runs that are killed (each goes
 * on until it is done); if it is not set, 2 of one rank and 1 of two ranks. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

enum { SIZE = 48, SLICES = 80, KILLS_MOST = 60 };

/* A dead column and a dropped projection: what a run tells of undefined values must not depend on who stored what. */
static uint16_t count(uint64_t angle, uint64_t row, uint64_t column)
{
    return column == 5 || angle == 7 ? 0 : (uint16_t)(300 + (angle * 131 + row * 71 + column * 37) % 400);
}

/* With as little memory as there may be it takes several slabs. */
#define RECON                                                                                                          \
    "recon ../scan.h5 --minibatch %d --algorithm cg --iterations %d --save-format both --rotation-axis 23.5 "          \
    "--stall-limit 30s --projector rays "                                                                              \
    "--memory %dMiB "

/* How the processes are started in folders of their own, and how they share the work. */
typedef struct Way {
    const char *launcher, *words;     /* words begin with a blank */
    int ranks, minibatch, iterations; /* ranks that share cores wait long for each message: fewer of them */
    bool integers;
} Way;

static const Way one_rank = {NULL, "", 1, 2, 20, false};
static const Way integers = {NULL, " --output-type uint8", 1, 2, 20, true};
static const Way two_ranks = {"mpirun -q -n 2 ../note_pid", " --grid 1x2 --output-type uint16", 2, 4, 4, true};

static void make_folder(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    assert_int_equal(mkdir(testing_path(path, directory, name), 0755), 0);
}

static int memory_mib;

/* What the unbroken run told of undefined values. */
static char undefined[1000];

/* The lines of projections and columns without any value. */
static void take_undefined(const char *err, char lines[1000])
{
    lines[0] = '\0';
    for (const char *line = err; *line;) {
        const size_t length = strcspn(line, "\n");
        if (memmem(line, length, "without any value", 17) && strlen(lines) + length + 2 < 1000)
            strncat(strncat(lines, line, length), "\n", 2);
        line += length + (line[length] == '\n');
    }
}

static void assert_undefined(const char *err)
{
    char told[1000];
    take_undefined(err, told);
    assert_string_equal(told, undefined);
}

/* The least memory of a run. */
static int find_memory(const char *folder, const Way *way)
{
    CliRun run = {.directory = folder, .launcher = way->launcher};
    cli_start(&run, RECON "-o out.h5%s", way->minibatch, way->iterations, 1, way->words);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const double least = cli_number_after(run.err, "; allowed: --memory ", NULL);
    cli_free(&run);
    return (int)least;
}

/* The scan, the folder "whole" with an unbroken run's files, and the folder "broken". */
static void make_reference(const char *directory, const Way *way)
{
    char path[TESTING_PATH];
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = 36;
    scan.rows = SLICES;
    scan.columns = SIZE;
    scan.count = count;
    cli_write_scan(directory, "scan.h5", &scan);
    cli_write_text(directory, "note_pid", "#!/bin/sh\necho $$ >pid$OMPI_COMM_WORLD_RANK && exec \"$@\"\n");
    assert_int_equal(chmod(testing_path(path, directory, "note_pid"), 0755), 0);
    make_folder(directory, "whole");
    make_folder(directory, "broken");
    memory_mib = find_memory(testing_path(path, directory, "whole"), way);
    CliRun run = {.directory = path, .launcher = way->launcher};
    cli_start(&run, RECON "-o out.h5%s", way->minibatch, way->iterations, memory_mib, way->words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_true(cli_number_after(run.err, "sinodag: slices: 80, ", NULL) <= SLICES / 2); /* several slabs */
    take_undefined(run.err, undefined);
    assert_true(strlen(undefined) > 0);
    cli_free(&run);
}

static void start(CliRun *run, const char *folder, const Way *way, const char *words)
{
    *run = (CliRun){.directory = folder, .launcher = way->launcher};
    cli_start(run, RECON "-o out.h5%s%s", way->minibatch, way->iterations, memory_mib, way->words, words);
}

/* The process that is to be killed: a random one of the ranks. */
static pid_t victim(const char *folder, const Way *way, const CliRun *run, unsigned *seed)
{
    char path[TESTING_PATH], name[16], number[32] = "";
    if (way->ranks == 1) return run->pid;
    snprintf(name, sizeof name, "pid%d", rand_r(seed) % way->ranks);
    FILE *file = fopen(testing_path(path, folder, name), "r");
    if (!file) return 0;
    if (!fgets(number, sizeof number, file)) number[0] = '\0';
    fclose(file);
    return (pid_t)strtol(number, NULL, 10);
}

static void pause_ms(int64_t milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Waits until the journal has grown by some bytes; false: the run has ended before. */
static bool await_journal(const char *folder, const CliRun *run, int64_t bytes)
{
    const int64_t before = cli_exists(folder, "out.h5.journal") ? cli_file_size(folder, "out.h5.journal") : 0;
    return cli_await_size(run, "out.h5.journal", before + bytes);
}

static void assert_same_values(const char *directory, const char *dataset, int rank, const int64_t *size)
{
    double *whole = cli_read_doubles(directory, "whole/out.h5", dataset, rank, size);
    double *broken = cli_read_doubles(directory, "broken/out.h5", dataset, rank, size);
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= size[i];
    if (!testing_same_bytes(whole, broken, (size_t)count * sizeof *whole)) fail_msg("%s differs", dataset);
    free(whole);
    free(broken);
}

/* The sources of the pictures of a page, one after the other; caller frees. */
static char *pictures_of(const char *directory, const char *name)
{
    const size_t bytes = (size_t)cli_file_size(directory, name);
    char *page = cli_read_bytes(directory, name, bytes), *sources = NULL;
    size_t size;
    FILE *out = open_memstream(&sources, &size);
    for (const char *at = page; (at = memmem(at, (size_t)(page + bytes - at), " src=\"", 6)); at += 6) {
        const char *end = memchr(at + 6, '"', (size_t)(page + bytes - at - 6));
        assert_non_null(end);
        fprintf(out, "%.*s\n", (int)(end - at), at);
    }
    assert_int_equal(fclose(out), 0);
    free(page);
    return sources;
}

/* The planes across the slices have those that an earlier process stored. */
static void assert_same_reports(const char *directory)
{
    char *whole = pictures_of(directory, "whole/out.html"), *broken = pictures_of(directory, "broken/out.html");
    assert_true(strlen(whole) > 1000);
    assert_string_equal(whole, broken);
    free(whole);
    free(broken);
}

static void assert_same_files(const char *directory, const Way *way)
{
    const int64_t data[] = {SLICES, SIZE, SIZE}, residuals[] = {SLICES, way->iterations + 1}, repaired[] = {SLICES};
    const int64_t clipped[] = {3};
    char whole[TESTING_PATH], broken[TESTING_PATH];
    assert_same_values(directory, "/exchange/data", 3, data);
    assert_same_values(directory, "/process/residuals", 2, residuals);
    assert_same_values(directory, "/process/repaired", 1, repaired);
    if (way->integers) assert_same_values(directory, "/process/clipped", 1, clipped);
    assert_same_reports(directory);
    static const char *const other[] = {"out_slice_00040.png", "out_sinogram_00040.png"};
    char name[64];
    for (int i = 0; i < SLICES + 2; i++) {
        snprintf(name, sizeof name, "out/recon_%05d.tiff", i);
        const char *file = i < SLICES ? name : other[i - SLICES];
        char from[TESTING_PATH + 8], to[TESTING_PATH + 8];
        snprintf(from, sizeof from, "whole/%s", file);
        snprintf(to, sizeof to, "broken/%s", file);
        if (cli_tool("cmp", testing_path(whole, directory, from), testing_path(broken, directory, to)) != 0)
            fail_msg("%s differs", file);
    }
}

/* Nothing is left of the temporary file; then makes room for another run. */
static void clear(const char *directory)
{
    char path[TESTING_PATH];
    testing_path(path, directory, "broken");
    assert_false(cli_exists(path, "out.h5.partial"));
    assert_int_equal(cli_tool("rm", "-rf", path), 0);
    make_folder(directory, "broken");
}

static void assert_no_journals(const char *directory)
{
    assert_false(cli_exists(directory, "broken/out.h5.journal"));
    assert_false(cli_exists(directory, "broken/out.h5.journal.1"));
}

/* Kills runs at random moments until one is done; returns the number of kills. */
static int go_on_until_done(const char *directory, const Way *way, unsigned *seed)
{
    char folder[TESTING_PATH];
    testing_path(folder, directory, "broken");
    for (int kills = 0; kills < KILLS_MOST; kills++) {
        CliRun run;
        const bool goes_on = cli_exists(folder, "out.h5.journal");
        start(&run, folder, way, " --resume");
        const bool goes = await_journal(folder, &run, 1 + rand_r(seed) % 4000);
        pause_ms(rand_r(seed) % 40);
        const pid_t process = victim(folder, way, &run, seed);
        if (goes && process > 0) kill(process, SIGKILL); /* it may just have ended */
        cli_wait(&run);
        const bool done = run.exit_code == 0;
        if (done) assert_undefined(run.err);
        const bool resumed = strstr(run.err, " slices are complete, from an unfinished run") != NULL;
        if (goes_on && !resumed) fail_msg("nothing resumed:\n%s", run.err);
        /* A rank that mpirun ends, because the other one is killed, removes files in which no slice is complete. */
        if (resumed && !strstr(run.err, ": 0 of 80 slices") && !cli_exists(folder, "out.h5.journal") &&
            !cli_exists(folder, "out.h5"))
            fail_msg("what was complete is lost:\n%s", run.err);
        cli_free(&run);
        if (done) return kills;
        if (cli_exists(folder, "out.h5")) clear(directory); /* killed after the volume was complete: begins anew */
    }
    fail_msg("%d kills, and still not done", KILLS_MOST);
    return 0;
}

static void killed(void **state, const Way *way)
{
    const char *const wanted = getenv("SINODAG_TEST_KILLS");
    const long runs = wanted ? strtol(wanted, NULL, 10) : way == &one_rank ? 2 : 1;
    unsigned seed = 12345;
    int kills = 0;
    make_reference(*state, way);
    for (long i = 0; i < runs; i++) {
        kills += go_on_until_done(*state, way, &seed);
        assert_same_files(*state, way);
        assert_no_journals(*state);
        clear(*state);
    }
    print_message("%ld runs were killed %d times\n", runs, kills);
    assert_true(kills >= runs);
}

static void killed_at_any_moment(void **state)
{
    killed(state, &one_rank);
}

/* A variable that is set where several ranks are tested. */
static bool several_ranks(void)
{
    return getenv("OMPI_ALLOW_RUN_AS_ROOT") != NULL;
}

static void integers_are_resumed(void **state)
{
    killed(state, &integers);
}

static void one_of_two_ranks_killed_at_any_moment(void **state)
{
    if (!several_ranks()) skip();
    killed(state, &two_ranks);
}

/* An unfinished run in the folder "broken". */
static void make_unfinished_by(const Way *way, const char *directory, const char *folder)
{
    CliRun run;
    make_reference(directory, way);
    start(&run, folder, way, "");
    assert_true(await_journal(folder, &run, 3000));
    assert_int_equal(kill(run.pid, SIGKILL), 0);
    cli_wait(&run);
    cli_free(&run);
    assert_true(cli_exists(folder, "out.h5.partial"));
}

static void make_unfinished(const char *directory, const char *folder)
{
    make_unfinished_by(&one_rank, directory, folder);
}

/* Rank 1 was killed before it made its journal, or lost it: what rank 0 knows alone is computed again. */
static void a_rank_without_its_journal(void **state)
{
    char folder[TESTING_PATH], path[TESTING_PATH];
    CliRun run;
    if (!several_ranks()) skip();
    make_unfinished_by(&two_ranks, *state, testing_path(folder, *state, "broken"));
    assert_int_equal(unlink(testing_path(path, folder, "out.h5.journal.1")), 0);
    start(&run, folder, &two_ranks, " --resume");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_undefined(run.err);
    cli_free(&run);
    assert_same_files(*state, &two_ranks);
    assert_no_journals(*state);
}

static void refuses(const char *folder, const char *words, const char *message)
{
    CliRun run = {.directory = folder};
    char *before = cli_listing(folder);
    cli_start(&run, "recon ../scan.h5 -o out.h5 --save-format both --resume %s", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, message);
    char *after = cli_listing(folder);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* A run says which choices its program makes, so that another one does not go on from its slices: a line that differs,
 * or is missing, is refused as any other. */
static void choices_are_told(const char *folder)
{
    static const char line[] = "\nchoices of the program: ";
    char path[TESTING_PATH], text[8192];
    FILE *file = fopen(testing_path(path, folder, "out.h5.journal"), "rb");
    assert_non_null(file);
    const size_t bytes = fread(text, 1, sizeof text, file);
    assert_int_equal(fclose(file), 0);
    assert_non_null(memmem(text, bytes, line, sizeof line - 1));
}

static void what_differs_is_refused(void **state)
{
    char folder[TESTING_PATH], path[TESTING_PATH];
    const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    make_unfinished(*state, testing_path(folder, *state, "broken"));
    choices_are_told(folder);
    refuses(folder, "--algorithm cg --iterations 21 --rotation-axis 23.5",
            "out.h5.journal | iterations is 21 | was 20 | --resume");
    refuses(folder, "--algorithm cg --iterations 20 --rotation-axis 23.5 --minibatch 3",
            "out.h5.journal | minibatch is 3 | was 2 | --resume");
    refuses(folder, "--algorithm cg --iterations 20 --rotation-axis 23.5 --projector rotate",
            "out.h5.journal | projector is rotate | was rays | --resume");
    refuses(folder, "--algorithm cg --iterations 20 --rotation-axis 23",
            "out.h5.journal | center is 23 | was 23.5 | --resume");
    CliRun run = {.directory = folder};
    cli_start(&run, "recon ../scan.h5 -o out.h5 --save-format both --resume --algorithm cg --iterations 20 "
                    "--rotation-axis 23.5 --start ../whole/out.h5");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "sinodag: out.h5.journal: file 1 of --start is "));
    assert_non_null(testing_tells(run.err, "not set | unfinished run | the same"));
    cli_free(&run);
    assert_int_equal(utimensat(AT_FDCWD, testing_path(path, *state, "scan.h5"), now, 0), 0);
    run = (CliRun){.directory = folder};
    cli_start(&run, "recon ../scan.h5 -o out.h5 --save-format both --resume --algorithm cg --iterations 20");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "sinodag: out.h5.journal: file 1 of the input is "));
    cli_free(&run);
}

/* What a run needs not be told again: its plan, its center, the names of its files, the memory and the workers. */
static void the_plan_is_taken_over(void **state)
{
    char folder[TESTING_PATH];
    make_unfinished(*state, testing_path(folder, *state, "broken"));
    cli_works(*state,
              "recon scan.h5 -o broken/out.h5 --save-format both --algorithm cg --iterations 20 --resume --workers 1 "
              "--memory 1GiB --scheduler eager --profile");
    assert_same_files(*state, &one_rank);
    assert_no_journals(*state);
    clear(*state);
}

/* Slices that are not on the disk as they were stored are computed again. */
static void damaged_slices_are_made_again(void **state)
{
    char folder[TESTING_PATH], path[TESTING_PATH];
    make_unfinished(*state, testing_path(folder, *state, "broken"));
    FILE *file = fopen(testing_path(path, folder, "out.h5.partial"), "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 20000, SEEK_SET), 0); /* among the voxels of the first slices */
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, 20000, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(testing_path(path, folder, "out/recon_00003.tiff")), 0);
    cli_works(folder, RECON "-o out.h5 --resume", one_rank.minibatch, one_rank.iterations, memory_mib);
    assert_same_files(*state, &one_rank);
    assert_no_journals(*state);
    clear(*state);
}

static void without_the_option_a_run_begins_anew(void **state)
{
    char folder[TESTING_PATH];
    CliRun run;
    make_unfinished(*state, testing_path(folder, *state, "broken"));
    start(&run, folder, &one_rank, "");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: warning: out.h5.journal: an unfinished run stored "));
    cli_free(&run);
    assert_same_files(*state, &one_rank);
    assert_no_journals(*state);
    clear(*state);
    /* And with it, if there is nothing to resume. */
    start(&run, folder, &one_rank, " --resume");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: out.h5.journal: nothing to resume, a new run begins"));
    cli_free(&run);
    assert_same_files(*state, &one_rank);
    assert_no_journals(*state);
    clear(*state);
}

int cli_resume_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(killed_at_any_moment),
        CLI_TEST(integers_are_resumed),
        CLI_TEST(one_of_two_ranks_killed_at_any_moment),
        CLI_TEST(what_differs_is_refused),
        CLI_TEST(the_plan_is_taken_over),
        CLI_TEST(a_rank_without_its_journal),
        CLI_TEST(damaged_slices_are_made_again),
        CLI_TEST(without_the_option_a_run_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
