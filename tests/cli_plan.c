/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, plan: its table, its JSON, a plan of a file, and what it refuses. It writes no file and takes little.
 */
#include "cli.h"

static CliRun run_plan(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "plan %s", line);
    cli_wait(&run);
    assert_string_equal(run.err, "");
    assert_int_equal(run.exit_code, 0);
    return run;
}

static void assert_has(const CliRun *run, const char *text)
{
    if (!strstr(run->out, text)) fail_msg("there is no\n%s\nin\n%s", text, run->out);
}

static const char small[] =
    "--angles 180 --columns 512 --slices 64 --ranks 4 --grid 2x2 --topology sockets=2,workers=3 --memory 4GiB "
    "--minibatch 16 --link-latency 3";

static void table(void **state)
{
    char *before = cli_listing(*state);
    CliRun run = run_plan(*state, small);
    assert_has(&run, "scan         180 angles, 512 columns, 64 slices\ngrid         2x2: given\n");
    assert_has(&run, "topology     nodes=2,sockets=2,workers=3: 12 partitions of a slice; 6 workers per rank\n");
    assert_has(&run,
               "slices       32 of a group, in slabs of 2 minibatches of 16 (the kernels at 100 % of their rate)\n");
    assert_has(&run, "memory of a rank, of 4.0 GiB\n");
    assert_has(&run, "bytes of a projection of all slices, hierarchical\n");
    assert_has(&run, "seconds of an iteration, with overlap\n");
    assert_has(&run, "and 3 us a message; all files: 1 GB/s\n");
    assert_null(strstr(run.out, "idle"));
    assert_true(cli_number_after(run.out, "  footprints of workers", NULL) >
                cli_number_after(run.out, "  footprints of sockets", NULL));
    cli_free(&run);
    run = run_plan(*state, "--angles 12 --columns 64 --slices 2 --ranks 1000 --memory 4GiB");
    assert_has(&run, "\nidle         ");
    cli_free(&run);
    char *after = cli_listing(*state);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Brackets that match, names and values: enough for any reader, which is asked where there is one. */
static void json(void **state)
{
    char line[400], path[TESTING_PATH];
    snprintf(line, sizeof line, "%s --format json", small);
    CliRun run = run_plan(*state, line);
    assert_has(&run, "{\"scan\": {\"angles\": 180, \"columns\": 512, \"slices\": 64},\n");
    assert_has(&run, " \"grid\": {\"ranks\": 4, \"batch_groups\": 2, \"data_ranks\": 2, \"idle_ranks\": 0, \"why\": "
                     "\"given\"},\n");
    assert_has(&run, " \"topology\": {\"nodes\": 2, \"sockets\": 2, \"workers\": 3, \"rank_workers\": 6},\n");
    const double worker = cli_number_after(run.out, "\"worker_footprints\": ", NULL);
    const double socket = cli_number_after(run.out, "\"socket_footprints\": ", NULL);
    const double node = cli_number_after(run.out, "\"node_footprints\": ", NULL);
    const double global = cli_number_after(run.out, "\"global\": ", NULL);
    assert_true(worker > socket && socket > node && node > global && global > 0);
    assert_true(cli_number_after(run.out, "\"total\": ", NULL) > 96 * 1048576.0);
    assert_true(cli_number_after(run.out, "\"run\": ", NULL) > 0);
    cli_write_text(*state, "plan.json", run.out);
    cli_free(&run);
    const int code = cli_tool("python3", "-mjson.tool", testing_path(path, *state, "plan.json"));
    if (code == 127) skip();
    assert_int_equal(code, 0);
}

static void of_a_file(void **state)
{
    cli_write_scan(*state, "scan.h5", &cli_scan);
    CliRun run = run_plan(*state, "scan.h5 --ranks 3 --memory 1GiB");
    assert_has(&run, "scan         12 angles, 16 columns, 4 slices\ngrid         3x1: a whole slice fits a rank\n");
    cli_free(&run);
    run = run_plan(*state, "scan.h5 --start-row 1 --end-row 3 --binning 2 --memory 1GiB --algorithm fbp");
    assert_has(&run, "scan         12 angles, 8 columns, 1 slices\ngrid         1x1: one rank\n");
    cli_free(&run);
    cli_refuses(*state, "--angles and --slices describe a scan without a file; allowed: without 'scan.h5'",
                "plan scan.h5 --slices 3");
}

/* The largest volume of "Petascale XCT", 4.7 TB, by little memory in little time. */
static void large_scans_take_little(void **state)
{
    CliRun run = run_plan(*state, "--angles 4501 --columns 11283 --slices 9209 --ranks 4096 --topology "
                                  "sockets=2,workers=3 --memory 96GB --precision mixed --minibatch 16");
    assert_has(&run, "topology     nodes=");
    assert_true(run.peak_bytes < (int64_t)512 << 20);
    assert_true(run.elapsed_s < 60);
    cli_free(&run);
}

static void bad_input(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "--grid is 3x2, which takes 6 ranks; allowed: at most the 4 that there are",
                "plan --angles 30 --columns 64 --slices 8 --ranks 4 --grid 3x2");
    cli_refuses(at, "--grid is '3'; allowed: auto or two integers such as 2x3, each from 1 to 1000000",
                "plan --angles 30 --columns 64 --slices 8 --ranks 4 --grid 3");
    cli_refuses(at, "--topology has nodes=3, and --grid 2 ranks for each slice; allowed: a multiple of them",
                "plan --angles 30 --columns 64 --slices 1 --ranks 2 --grid 1x2 --topology nodes=3");
    cli_refuses(at, "--node-weights has 2 numbers; allowed: one for each of the 3 ranks",
                "plan --angles 30 --columns 64 --slices 8 --ranks 3 --node-weights 1,2");
    cli_refuses(at, "--ranks is '0'; allowed: an integer from 1 to 1000000",
                "plan --angles 30 --columns 64 --slices 8 --ranks 0");
    cli_refuses(at, "--link-bandwidth is '0'; allowed: a number above 0 and at most 1000000000",
                "plan --angles 30 --columns 64 --slices 8 --link-bandwidth 0");
    cli_refuses(at, "--iterations contradicts --algorithm fbp; allowed: --iterations with --algorithm cg or sirt",
                "plan --angles 30 --columns 64 --slices 8 --algorithm fbp --iterations 3");
    cli_refuses(at, "--format is 'csv'; allowed: table or json",
                "plan --angles 30 --columns 64 --slices 8 --format csv");
    CliRun run = {.directory = at};
    cli_start(&run, "plan --angles 300 --columns 640 --slices 8 --ranks 2 --memory 90MiB");
    cli_wait(&run);
    cli_assert_ended(&run, 2,
                     "memory is 90.0 MiB per rank; a rank needs # MiB when # share each slice; allowed: --memory "
                     "#MiB or more, or more ranks");
}

static void stdout_that_is_full(void **state)
{
    CliRun run = {.directory = *state, .stdout_path = "/dev/full"};
    cli_start(&run, "plan %s", small);
    cli_wait(&run);
    cli_assert_ended(&run, 1, "stdout cannot be written");
}

int cli_plan_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(table),     CLI_TEST(json),
        CLI_TEST(of_a_file), CLI_TEST(large_scans_take_little),
        CLI_TEST(bad_input), CLI_TEST(stdout_that_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
