/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, interruptions: an interrupted run says what is complete, leaves nothing incomplete under a final name,
 * and the next run works. */
#include "cli.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run that would last for minutes, in its iterations. */
static void start_long(CliRun *run, const char *arguments)
{
    cli_start(run, "recon scan.h5 --rotation-axis 31.5 --algorithm cg --iterations 200000 --minibatch 4 %s", arguments);
    cli_await(run, "/200000");
}

/* Prints the state of each thread, and the system call that it is in. */
static void print_threads(pid_t pid)
{
    char path[TESTING_PATH], line[256];
    static const char *const file[] = {"comm", "stat", "wchan", "syscall"};
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        if (entry->d_name[0] == '.') continue;
        print_error("thread %s:", entry->d_name);
        for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
            snprintf(path, sizeof path, "/proc/%d/task/%.20s/%s", (int)pid, entry->d_name, file[i]);
            FILE *of = fopen(path, "r");
            if (of && fgets(line, sizeof line, of)) print_error(" %.60s", line);
            if (of) (void)fclose(of);
        }
        print_error("\n");
    }
    if (threads) (void)closedir(threads);
}

/* Returns once the run has ended, for which it has a minute from now on, whatever it took before. */
static void await_end(const CliRun *run)
{
    enum { LIMIT_MS = 60000, STEP_MS = 10 };
    siginfo_t ended = {.si_pid = 0};
    for (int ms = 0; ms < LIMIT_MS; ms += STEP_MS) {
        assert_int_equal(waitid(P_PID, (id_t)run->pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
        if (ended.si_pid == run->pid) return;
        usleep(1000 * STEP_MS);
    }
    print_threads(run->pid);
    (void)kill(run->pid, SIGKILL);
    fail_msg("the run goes on a minute after the signal");
}

/* A signal that the program takes ends it with 128 + signal, and with one line. */
static void stop(CliRun *run, int signal_number, const char *words)
{
    assert_int_equal(kill(run->pid, signal_number), 0);
    await_end(run);
    cli_wait(run);
    if (words)
        cli_assert_ended(run, 128 + signal_number, words);
    else
        assert_int_equal(run->exit_code, -signal_number);
    cli_free(run);
}

static void assert_rerun_works(const char *directory)
{
    cli_works(directory,
              "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --save-format both "
              "--graph graph.dot");
    assert_names(directory, "graph.dot out out/recon_00000.tiff out/recon_00001.tiff out/recon_00002.tiff "
                            "out/recon_00003.tiff out/recon_00004.tiff out/recon_00005.tiff out/recon_00006.tiff "
                            "out/recon_00007.tiff out.h5 out.html out_sinogram_00004.png out_slice_00004.png scan.h5");
}

static void stopped(void **state, int signal_number, const char *words, const char *names)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    start_long(&run, "-o out.h5 --save-format both --graph graph.dot");
    stop(&run, signal_number, words);
    assert_names(*state, names);
    assert_rerun_works(*state);
}

static void by_the_keyboard(void **state)
{
    stopped(state, SIGINT,
            "interrupted by SIGINT; no row is complete as TIFF in out; out.h5 was not written; temporary files were "
            "removed",
            "scan.h5");
}

static void by_the_batch_system(void **state)
{
    stopped(state, SIGTERM,
            "ended by SIGTERM; no row is complete as TIFF in out; out.h5 was not written; temporary files were removed",
            "scan.h5");
}

static void by_the_terminal(void **state)
{
    stopped(state, SIGHUP,
            "ended by SIGHUP, as the terminal was closed; no row is complete as TIFF in out; out.h5 was not written; "
            "temporary files were removed",
            "scan.h5");
}

static void killed(void **state)
{
    stopped(state, SIGKILL, NULL,
            "graph.dot.partial out out/recon_00000_to_00007.partial out.h5.journal out.h5.partial scan.h5");
}

/* Before the volume is open there is nothing to tell; here while a phantom is made. */
static void without_a_volume(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "phantom -o scan.h5 --size 2048 --angles 1000 --slices 100");
    for (int i = 0; i < 1000 && !cli_exists(*state, "scan.h5.partial"); i++) usleep(10000);
    stop(&run, SIGTERM, "ended by SIGTERM; temporary files were removed");
    assert_names(*state, "");
}

/* As nohup, and as a shell does with what it runs in the background. */
static void ignored_signals_stay_ignored(void **state)
{
    CliRun run = {.directory = *state, .launcher = "./deaf"};
    char path[TESTING_PATH];
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    cli_write_text(*state, "deaf", "#!/bin/sh\ntrap '' INT HUP\nexec \"$@\"\n");
    assert_int_equal(chmod(testing_path(path, *state, "deaf"), 0755), 0);
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 300 --minibatch 4");
    cli_await(&run, "iteration");
    assert_int_equal(kill(run.pid, SIGINT), 0);
    assert_int_equal(kill(run.pid, SIGHUP), 0);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
}

/* The least --memory that the program takes, so that it works slice by slice. */
static int64_t least_memory_mib(const char *directory)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "recon wide.h5 -o none.h5 --algorithm cg --projector rays --rotation-axis 63.5 --minibatch 1 "
                    "--workers 1 --pictures no "
                    "--report none --memory 1MiB");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const double mib = cli_number_after(run.err, "allowed: --memory ", NULL);
    cli_free(&run);
    return (int64_t)mib;
}

/* A run that has completed some of 24 slices as TIFF. */
static void start_slices(CliRun *run, const char *directory, const char *options)
{
    *run = (CliRun){.directory = directory};
    cli_start(
        run,
        "recon wide.h5 -o out --save-format tiff --rotation-axis 63.5 --algorithm cg --projector rays --iterations 100 "
        "--minibatch 1 --workers 1 "
        "--pictures no --report none --memory %lldMiB %s",
        (long long)least_memory_mib(directory), options);
    cli_await_part(run, 3);
}

static void finish_slices(const char *directory, const char *options, const char *told)
{
    CliRun run = {.directory = directory};
    cli_start(&run,
              "recon wide.h5 -o out --save-format tiff --rotation-axis 63.5 --algorithm cg --iterations 1 --pictures "
              "no --report none "
              "--workers 1 %s",
              options);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    assert_true(!strstr(run.err, "of a run that did not finish") == !told);
    if (told) assert_non_null(strstr(run.err, told));
    cli_free(&run);
    assert_false(cli_exists(directory, "out/recon_00000_to_00023.partial"));
    assert_true(cli_exists(directory, "out/recon_00023.tiff"));
}

/* Returns when every thread of the run has stopped, until SIGCONT. */
static void pause_run(const CliRun *run)
{
    int changed = 0;
    assert_int_equal(kill(run->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(run->pid, &changed, WUNTRACED), run->pid);
    assert_true(WIFSTOPPED(changed));
}

/* The marker says that slices are missing; the same command starts anew, without --overwrite. */
static void some_slices_are_complete(void **state)
{
    CliRun run;
    cli_works(*state, "phantom -o wide.h5 --size 128 --angles 90 --slices 24");
    start_slices(&run, *state, "");
    pause_run(&run); /* what it writes meanwhile would change the directory */
    cli_refuses(*state, "out | another run",
                "recon wide.h5 -o out --save-format tiff --rotation-axis 63.5 --algorithm cg --iterations 1");
    assert_int_equal(kill(run.pid, SIGCONT), 0);
    stop(&run, SIGTERM,
         "ended by SIGTERM; rows 0 to # are complete as TIFF in out; --resume goes on from # of # slices; temporary "
         "files were removed");
    assert_true(cli_exists(*state, "out/recon_00000_to_00023.partial"));
    /* Other rows do not start anew: these slices are not theirs. */
    run = (CliRun){.directory = *state};
    cli_start(&run, "recon wide.h5 -o out --save-format tiff --end-row 5 --algorithm cg --iterations 1");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(testing_tells(run.err, "recon_00000.tiff | --overwrite"));
    cli_free(&run);
    finish_slices(*state, "", "slices of a run that did not finish from out");
}

/* With --overwrite, slices of a complete run were there. Those that are left are not told from new ones, so that the
 * next run needs --overwrite, too. */
static void some_slices_are_replaced(void **state)
{
    CliRun run;
    cli_works(*state, "phantom -o wide.h5 --size 128 --angles 90 --slices 24");
    finish_slices(*state, "", NULL);
    start_slices(&run, *state, "--overwrite");
    stop(&run, SIGKILL, NULL);
    cli_refuses(*state,
                "out | 24 of the files | recon_00000.tiff | recon_00000_to_00023.partial | --overwrite | out.journal | "
                "--resume",
                "recon wide.h5 -o out --save-format tiff --rotation-axis 63.5 --algorithm cg --iterations 1");
    finish_slices(*state, "--overwrite", NULL);
}

/* A file server that does not answer any more when the fourth slice is stored. */
static void stalled(void **state)
{
    const char *library = getenv("SINODAG_BLOCK_WRITE");
    char launcher[TESTING_PATH];
    assert_non_null(library);
    snprintf(launcher, sizeof launcher, "env LD_PRELOAD=%s BLOCK_WRITE=recon_00003.tiff", library);
    CliRun run = {.directory = *state, .launcher = launcher};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    cli_start(
        &run,
        "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --minibatch 4 --save-format both "
        "--stall-limit 1s");
    cli_wait(&run);
    assert_true(run.elapsed_s < 10);
    assert_non_null(strstr(run.err, "sinodag: no task has ended for 1.00 s; running: store on worker "));
    assert_non_null(strstr(run.err, "; waiting for data or a worker: 1 of 2 store"));
    const char *safe =
        "--stall-limit sets how long a run waits, none: for ever; rows 0 to 2 are complete as TIFF in out; "
        "out.h5 was not written; temporary files were removed\n";
    if (!strstr(run.err, safe)) fail_msg("no \"%s\":\n%s", safe, run.err);
    assert_int_equal(run.exit_code, 1);
    cli_free(&run);
    assert_names(*state, "out out/recon_00000.tiff out/recon_00000_to_00007.partial out/recon_00001.tiff "
                         "out/recon_00002.tiff scan.h5");
    assert_rerun_works(*state);
}

/* A run that waits for StarPU, in which no task is in flight, ends likewise. */
static void starpu_does_not_return(void **state)
{
    static const char *const cases[][2] = {{"acquire", "; the program waits for curvature; "},
                                           {"shutdown", "; the program waits for the end of StarPU; "}};
    const char *library = getenv("SINODAG_BLOCK_WRITE");
    char launcher[TESTING_PATH];
    assert_non_null(library);
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 20 --slices 1");
    for (int i = 0; i < 2; i++) {
        snprintf(launcher, sizeof launcher, "env LD_PRELOAD=%s BLOCK_STARPU=%s", library, cases[i][0]);
        CliRun run = {.directory = *state, .launcher = launcher};
        cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 15.5 --algorithm fista --regularization 0.1 "
                        "--iterations 1 --overwrite "
                        "--stall-limit 1s");
        await_end(&run);
        cli_wait(&run);
        if (!strstr(run.err, cases[i][1])) fail_msg("no \"%s\":\n%s", cases[i][1], run.err);
        assert_int_equal(run.exit_code, 1);
        cli_free(&run);
    }
}

/* While a run is suspended no task can end, which is no stall. */
static void suspended(void **state)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 512 --angles 400 --slices 4");
    cli_start(&run, "recon scan.h5 -o out.h5 --algorithm cg --projector rotate --rotation-axis 255.5 "
                    "--iterations 200000 --stall-limit 2s");
    cli_await(&run, "/200000");
    assert_int_equal(kill(run.pid, SIGSTOP), 0);
    sleep(4);
    assert_int_equal(kill(run.pid, SIGCONT), 0);
    usleep(500000);
    stop(&run, SIGINT, "interrupted by SIGINT; out.h5 was not written; temporary files were removed");
}

static void two_runs_with_one_output(void **state)
{
    CliRun first = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    start_long(&first, "-o out.h5 --workers 1");
    cli_refuses(*state, "out.h5 | another run", "recon scan.h5 -o out.h5 --algorithm cg --iterations 3");
    cli_refuses(*state, "out.h5 | another run", "recon scan.h5 -o out.h5 --overwrite");
    stop(&first, SIGKILL, NULL);
    cli_works(*state, "recon scan.h5 -o out.h5 --algorithm cg --iterations 3");
}

int cli_interrupt_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(by_the_keyboard),
        CLI_TEST(by_the_batch_system),
        CLI_TEST(by_the_terminal),
        CLI_TEST(killed),
        CLI_TEST(without_a_volume),
        CLI_TEST(ignored_signals_stay_ignored),
        CLI_TEST(some_slices_are_complete),
        CLI_TEST(some_slices_are_replaced),
        CLI_TEST(stalled),
        CLI_TEST(starpu_does_not_return),
        CLI_TEST(suspended),
        CLI_TEST(two_runs_with_one_output),
    };
    /* Runs inherit what nohup, or a shell in the background, ignores. */
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) (void)signal(signals[i], SIG_DFL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
