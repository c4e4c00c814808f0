/* SPDX-License-Identifier: BSD-3-Clause */
/* Overhead: prints the share of the workers' time that is spent inside tasks, by scheduler, in a run whose tasks take
 * more than a millisecond. The rest is StarPU's own work, waiting for data, and the ends of the run. */
#include "cli.h"

enum { REPEATS = 3 };

/* The share in percent, as --profile tells it. */
static double share_of(const char *directory, const char *scheduler, double *seconds)
{
    CliRun run = {.directory = directory};
    cli_start(&run,
              "recon scan.h5 -o out.h5 --overwrite --rotation-axis 127.5 --algorithm cg --iterations 10 --pictures no "
              "--report none "
              "--profile "
              "--scheduler %s",
              scheduler);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    const char *rest;
    const double share = cli_number_after(run.err, "sinodag: inside tasks: ", &rest);
    *seconds = cli_number_after(rest, " % of ", NULL);
    cli_free(&run);
    return share;
}

static void share_inside_tasks(void **state)
{
    static const char *const scheduler[] = {"lws", "ws", "eager", "prio", "dmda", "dmdas"};
    cli_works(*state, "phantom -o scan.h5 --size 256 --angles 180 --slices 128");
    (void)share_of(*state, "dmda", &(double){0}); /* calibrates */
    for (int s = 0; s < 6; s++) {
        double seconds, least = 100;
        print_message("%-6s inside tasks:", scheduler[s]);
        for (int i = 0; i < REPEATS; i++) {
            const double share = share_of(*state, scheduler[s], &seconds);
            print_message("  %5.1f %% of %5.2f s", share, seconds);
            if (share < least) least = share;
        }
        print_message("  least %5.1f %%\n", least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(share_inside_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
