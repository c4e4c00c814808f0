/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, inject: when any one allocation or any one call on a file fails, or all of them from some point on, a
 * run ends with the right volume, or with exit code 1 or 2 and a message; never by a signal, and never not at all.
 *
 * There are more calls than can be tried each time: every STRIDEth fails, beginning with one that SINODAG_INJECT_SEED
 * chooses (default 1). SINODAG_INJECT_WHOLE=1 tries all. */
#include "cli.h"

enum { SIZE = 24, SLICES = 3, STRIDE = 23, TIME_LIMIT_S = 10 };

#define RECON                                                                                                          \
    "recon scan.h5 -o out.h5 --save-format both --rotation-axis 11.5 --algorithm cg --iterations 2 --partitions 2 "    \
    "--operator-cache "                                                                                                \
    "cache --graph graph.dot --profile --scheduler dmdas --memory 1GiB --overwrite"

/* One run with one injection; `call` 0: nothing fails. */
static void run_with(CliRun *run, const char *directory, const char *kind, long call, const char *onwards)
{
    static char launcher[4 * TESTING_PATH];
    const char *library = getenv("SINODAG_INJECT_LIBRARY");
    snprintf(launcher, sizeof launcher,
             "timeout -s KILL %d env XDG_CACHE_HOME=%s/home SINODAG_INJECT=%s:%ld%s SINODAG_INJECT_COUNT=%s/count "
             "LD_PRELOAD=%s",
             TIME_LIMIT_S, directory, kind, call, onwards, directory, library ? library : "");
    *run = (CliRun){.directory = directory, .launcher = launcher};
    cli_start(run, RECON);
    cli_wait(run);
}

static long count_of(const char *directory)
{
    char path[TESTING_PATH];
    char text[32];
    FILE *file = fopen(testing_path(path, directory, "count"), "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_int_equal(fclose(file), 0);
    return strtol(text, NULL, 10);
}

static float *volume(const char *directory)
{
    return cli_exists(directory, "out.h5") ? cli_read_volume(directory, "out.h5", SLICES, SIZE) : NULL;
}

static void remove_output(const char *directory)
{
    static const char *const name[] = {"out.h5", "out.h5.partial", "out.h5.journal", "graph.dot", "graph.dot.partial"};
    char path[TESTING_PATH];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) unlink(testing_path(path, directory, name[i]));
}

static bool says_why(const char *err)
{
    const size_t length = strlen(err);
    const char *line = err + length;
    if (length == 0 || err[length - 1] != '\n') return false;
    for (line--; line > err && line[-1] != '\n';) line--;
    return strncmp(line, "sinodag: ", strlen("sinodag: ")) == 0;
}

/* No library may give up because the program's own calls fail (config/platform/ending.h). */
static bool library_gave_up(const char *err)
{
    return strstr(err, "sinodag: a library stopped the run") != NULL;
}

/* A partial file stays for --resume only, which makes the right volume of it. */
static void assert_resumes(const CliRun *failed, const float *wanted, const char *what)
{
    CliRun run = {.directory = failed->directory};
    if (!cli_exists(failed->directory, "out.h5.journal")) fail_msg("%s: out.h5.partial is left\n%s", what, failed->err);
    cli_start(&run, RECON " --resume");
    cli_wait(&run);
    float *found = run.exit_code == 0 ? volume(run.directory) : NULL;
    if (!found || !testing_same_bytes(found, wanted, sizeof *found * SLICES * SIZE * SIZE))
        fail_msg("%s: --resume makes %s\n%s", what, found ? "another volume" : "no volume", run.err);
    cli_free(&run);
    free(found);
}

static void assert_right(const CliRun *run, const float *wanted, const char *what)
{
    const bool ended = run->exit_code >= 0 && run->exit_code <= 2 && !library_gave_up(run->err);
    float *found = volume(run->directory);
    const bool same = found && testing_same_bytes(found, wanted, sizeof *found * SLICES * SIZE * SIZE);
    if (!ended || (run->exit_code > 0 && !says_why(run->err)) || (run->exit_code == 0 && !found) || (found && !same))
        fail_msg("%s: exit code %d, %s\n%s", what, run->exit_code,
                 !found ? "no volume"
                 : same ? "the right volume"
                        : "another volume",
                 run->err);
    free(found);
    if (cli_exists(run->directory, "out.h5.partial")) assert_resumes(run, wanted, what);
}

static long first_call(long stride)
{
    const char *seed = getenv("SINODAG_INJECT_SEED");
    return 1 + (seed ? labs(strtol(seed, NULL, 10)) : 1) % stride;
}

static void inject_each(const char *directory, const char *kind, const char *onwards)
{
    CliRun run;
    const long stride = getenv("SINODAG_INJECT_WHOLE") ? 1 : STRIDE;
    if (!getenv("SINODAG_INJECT_LIBRARY")) {
        print_message("skipped: SINODAG_INJECT_LIBRARY does not name the library\n");
        skip();
    }
    cli_works(directory, "phantom -o scan.h5 --size %d --angles 12 --slices %d", SIZE, SLICES);
    for (int i = 0; i < 2; i++) { /* the first run makes what others find */
        run_with(&run, directory, kind, 0, "");
        if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
        cli_free(&run);
    }
    const long count = count_of(directory);
    float *wanted = volume(directory);
    assert_true(count > 100 && wanted);
    for (long call = first_call(stride); call <= count; call += stride) {
        char what[80];
        snprintf(what, sizeof what, "%s:%ld%s of %ld", kind, call, onwards, count);
        remove_output(directory);
        run_with(&run, directory, kind, call, onwards);
        assert_right(&run, wanted, what);
        cli_free(&run);
    }
    free(wanted);
}

static void each_allocation(void **state)
{
    inject_each(*state, "alloc", "");
}

static void each_allocation_and_all_after_it(void **state)
{
    inject_each(*state, "alloc", "+");
}

static void each_call_on_files(void **state)
{
    inject_each(*state, "io", "");
}

static void each_call_on_files_and_all_after_it(void **state)
{
    inject_each(*state, "io", "+");
}

/* Runs the program with few addresses. */
static void run_within(CliRun *run, int megabytes, const char *arguments)
{
    static char launcher[80];
    snprintf(launcher, sizeof launcher, "timeout -s KILL %d prlimit --as=%d000000", TIME_LIMIT_S, megabytes);
    run->launcher = launcher;
    cli_start(run, "%s", arguments);
    cli_wait(run);
}

/* Libraries fail, too, where there are few addresses; below the least with which --version works, the loader cannot map
 * them all. */
static void too_few_addresses(void **state)
{
    CliRun run = {.directory = *state};
    int least = 40;
    cli_works(*state, "phantom -o scan.h5 --size %d --angles 12 --slices %d", SIZE, SLICES);
    for (bool loaded = false; !loaded; cli_free(&run)) {
        least += 10;
        assert_true(least < 10000);
        run_within(&run, least, "--version");
        loaded = run.exit_code == 0;
    }
    for (int megabytes = least; megabytes <= least + 150; megabytes += 10) {
        run_within(&run, megabytes, RECON);
        if (run.exit_code < 0 || run.exit_code > 2 || (run.exit_code > 0 && !says_why(run.err)))
            fail_msg("%d MB: exit code %d\n%s", megabytes, run.exit_code, run.err);
        cli_free(&run);
    }
}

/* A small stack is told as such, and no file is blamed. With a smaller one still, the process may not even start. */
static void too_small_a_stack(void **state)
{
    CliRun run = {.directory = *state, .launcher = "prlimit --stack=524288"};
    cli_works(*state, "phantom -o scan.h5 --size %d --angles 12 --slices %d", SIZE, SLICES);
    cli_start(&run, RECON);
    cli_wait(&run);
    cli_assert_ended(&run, 1, "512 KiB | ulimit -s | 1024 KiB");
}

int cli_inject_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(each_allocation),    CLI_TEST(each_allocation_and_all_after_it),
        CLI_TEST(each_call_on_files), CLI_TEST(each_call_on_files_and_all_after_it),
        CLI_TEST(too_few_addresses),  CLI_TEST(too_small_a_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
