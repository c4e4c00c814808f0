/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, interruptions: an interrupted run leaves no file under a final name, and the next run works. */
#include "cli.h"

#include <signal.h>

/* A run that would last for minutes, in its iterations. */
static void start_long(CliRun *run, const char *arguments)
{
    cli_start(run, "recon scan.h5 --rotation-axis 31.5 --iterations 200000 --minibatch 4 %s", arguments);
    cli_await(run, "/200000");
}

static void stop(CliRun *run, int signal_number)
{
    assert_int_equal(kill(run->pid, signal_number), 0);
    cli_wait(run);
    assert_int_equal(run->exit_code, -signal_number);
    cli_free(run);
}

static void assert_rerun_works(const char *directory)
{
    cli_works(directory, "recon scan.h5 -o out.h5 --rotation-axis 31.5 --iterations 3 --save-format both "
                         "--graph graph.dot");
    assert_names(directory, "graph.dot out out/recon_00000.tiff out/recon_00001.tiff out/recon_00002.tiff "
                            "out/recon_00003.tiff out/recon_00004.tiff out/recon_00005.tiff out/recon_00006.tiff "
                            "out/recon_00007.tiff out.h5 out_sinogram_00004.png out_slice_00004.png scan.h5");
}

static void stopped(void **state, int signal_number)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    start_long(&run, "-o out.h5 --save-format both --graph graph.dot");
    stop(&run, signal_number);
    assert_names(*state, "graph.dot.partial out out.h5.partial scan.h5");
    assert_rerun_works(*state);
}

static void by_the_keyboard(void **state)
{
    stopped(state, SIGINT);
}

static void by_the_batch_system(void **state)
{
    stopped(state, SIGTERM);
}

static void killed(void **state)
{
    stopped(state, SIGKILL);
}

static void two_runs_with_one_output(void **state)
{
    CliRun first = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    start_long(&first, "-o out.h5 --workers 1");
    cli_refuses(*state, "out.h5 is being written by another run", "recon scan.h5 -o out.h5 --iterations 3");
    cli_refuses(*state, "out.h5 is being written by another run", "recon scan.h5 -o out.h5 --overwrite");
    stop(&first, SIGKILL);
    cli_works(*state, "recon scan.h5 -o out.h5 --iterations 3");
}

int cli_interrupt_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(by_the_keyboard),
        CLI_TEST(by_the_batch_system),
        CLI_TEST(killed),
        CLI_TEST(two_runs_with_one_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
