/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, policies in shared objects: docs/policy_longest.c computes the same volume as StarPU's own policies do.
 * SINODAG_POLICY: the path of its shared object, beside policy_idle.so; SINODAG_BLOCK_WRITE: that of an object without
 * a policy. */
#include "cli.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 48, SLICES = 3 };

#define RECON                                                                                                          \
    "recon scan.h5 -o out.h5 --rotation-axis 23.5 --algorithm cg --iterations 4 --partitions 3 --pictures no "         \
    "--report none "                                                                                                   \
    "--overwrite "

static const char *policy_path(void)
{
    const char *path = getenv("SINODAG_POLICY");
    if (!path) fail_msg("SINODAG_POLICY is not set");
    return path;
}

static float *volume_by(const char *directory, const char *scheduler, const char *says)
{
    CliRun run = {.directory = directory};
    cli_start(&run, RECON "--profile --scheduler %s", scheduler);
    cli_wait(&run);
    if (run.exit_code != 0 || !strstr(run.err, says))
        fail_msg("%s: exit code %d\n%s", scheduler, run.exit_code, run.err);
    cli_free(&run);
    return cli_read_volume(directory, "out.h5", SLICES, SIZE);
}

static void the_same_volume(void **state)
{
    char own[TESTING_PATH];
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 40 --slices 3");
    snprintf(own, sizeof own, "%s:longest", policy_path());
    float *usual = volume_by(*state, "lws", " (lws)\n"), *longest = volume_by(*state, own, " (longest)\n");
    assert_memory_equal(usual, longest, (size_t)SLICES * SIZE * SIZE * sizeof *usual);
    free(usual);
    free(longest);
}

/* A path without a slash is one in the current directory. */
static void here(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 40 --slices 3");
    char there[TESTING_PATH];
    assert_int_equal(symlink(policy_path(), testing_path(there, *state, "a:b.so")), 0);
    free(volume_by(*state, "a:b.so:longest", " (longest)\n"));
}

/* The program computes on the cores of its mask alone, and says so. */
static void masks_choose_cores(void **state)
{
    char launcher[32];
    cpu_set_t mine;
    int last = CPU_SETSIZE - 1;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    if (CPU_COUNT(&mine) == 1) skip();
    while (!CPU_ISSET(last, &mine)) last--;
    snprintf(launcher, sizeof launcher, "taskset -c %d", last);
    CliRun run = {.directory = *state, .launcher = launcher};
    cli_works(*state, "phantom -o scan.h5 --size 48 --angles 40 --slices 3");
    cli_start(&run, RECON);
    cli_wait(&run);
    if (run.exit_code != 0 || !strstr(run.err, " at a time on 1 cores, ")) fail_msg("%d\n%s", run.exit_code, run.err);
    cli_free(&run);
}

static void refusals(void **state)
{
    const char *const at = *state, *const other = getenv("SINODAG_BLOCK_WRITE");
    char line[2 * TESTING_PATH], message[2 * TESTING_PATH];
    cli_works(at, "phantom -o scan.h5 --size 16 --angles 8 --slices 1");
    snprintf(line, sizeof line, RECON "--scheduler %s:shortest", policy_path());
    snprintf(message, sizeof message, "scheduler | %s | 'shortest' | longest", policy_path());
    cli_refuses(at, message, "%s", line);
    snprintf(line, sizeof line, RECON "--scheduler %s:longest", other);
    snprintf(message, sizeof message, "scheduler | %s | starpu_get_sched_lib_policy", other);
    cli_refuses(at, message, "%s", line);
    const int folder = (int)(strrchr(policy_path(), '/') - policy_path());
    snprintf(line, sizeof line, RECON "--scheduler %.*s/policy_idle.so:hollow", folder, policy_path());
    snprintf(message, sizeof message, "scheduler | 'hollow' | %.*s/policy_idle.so | init_sched", folder, policy_path());
    cli_refuses(at, message, "%s", line);
    cli_refuses(at, "scheduler | ./none.so | No such file", RECON "--scheduler none.so:longest");
    cli_refuses(at, "scheduler | 'none.so:' | NAME | 63 bytes", RECON "--scheduler none.so:");
}

int cli_policy_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(the_same_volume), CLI_TEST(here), CLI_TEST(masks_choose_cores),
                                       CLI_TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
