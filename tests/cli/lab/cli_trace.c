/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, trace: --trace and --profile=FILE. tests/check_trace reads both files of a run. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define FILES " --trace trace.json --profile=profile.json"

/* Both files are right, and agree with each other and with the log. */
static void assert_agree(const char *directory)
{
    const int code = cli_tool("python3", SINO_SOURCE_ROOT "/tests/check_trace", directory);
    if (code == 127) {
        print_message("trace and profile were not read: python3 is not installed\n");
        return;
    }
    if (code == 0) return;
    char path[TESTING_PATH], complaint[2000] = "";
    FILE *file = fopen(testing_path(path, directory, "check.txt"), "r");
    const size_t length = file ? fread(complaint, 1, sizeof complaint - 1, file) : 0;
    if (file) fclose(file);
    fail_msg("%.*s", (int)length, complaint);
}

/* Runs recon with arguments that begin with the algorithm, writes its log to log.txt, and checks both files. */
static void check_run(const char *directory, const char *launcher, const char *arguments)
{
    CliRun run = {.directory = directory, .launcher = launcher};
    cli_start(&run, "recon scan.h5 -o out.h5 --overwrite --rotation-axis 31.5 --iterations 3 --algorithm %s" FILES,
              arguments);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    cli_write_text(directory, "log.txt", run.err);
    cli_free(&run);
    assert_agree(directory);
}

static void trace_and_profile(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    check_run(*state, NULL, "cg --partitions 2 --minibatch 2 --memory 2GiB --graph graph.dot");
    check_run(*state, NULL, "sirt --minibatch 4 --scheduler dmda --workers 1");
    check_run(*state, NULL, "cg --precision mixed --partitions 1");
    check_run(*state, NULL, "fista");
}

static void of_several_ranks(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    check_run(*state, "mpirun -q -n 2", "cg --grid 1x2 --minibatch 4");
}

/* On cores and devices, whose names and memory nodes are in both files; skipped where there is none. */
static void of_devices(void **state)
{
    const char *wanted = getenv("SINODAG_TEST_DEVICE");
    const char *device = wanted && strcmp(wanted, "opencl") != 0 ? "cuda" : "opencl";
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 30 --slices 4");
    cli_start(
        &run,
        "recon scan.h5 -o out.h5 --rotation-axis 15.5 --algorithm cg --iterations 2 --minibatch 2 --device cpu,%s "
        "--scheduler eager" FILES,
        device);
    cli_wait(&run);
    if (run.exit_code == 2 && strstr(run.err, "device")) {
        print_message("no trace of %s devices: %s", device, run.err);
        cli_free(&run);
        skip();
    }
    if (run.exit_code != 0) fail_msg("exit code %d\n%s", run.exit_code, run.err);
    cli_write_text(*state, "log.txt", run.err);
    cli_free(&run);
    assert_agree(*state);
}

/* --profile alone is a flag, and takes a file's name with or without "=". */
static void spellings(void **state)
{
    const char *const spelling[] = {"--profile=other.json", "--profile other.json"};
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 30 --slices 2");
    for (int i = 0; i < 2; i++) {
        cli_works(*state,
                  "recon %s scan.h5 -o out.h5 --overwrite --rotation-axis 15.5 --algorithm cg --iterations 1 "
                  "--pictures no --report none",
                  spelling[i]);
        assert_names(*state, "other.json out.h5 scan.h5");
    }
    cli_works(*state, "recon --profile scan.h5 -o out.h5 --overwrite --rotation-axis 15.5 --algorithm cg --iterations "
                      "1 --pictures no "
                      "--report none");
    assert_names(*state, "other.json out.h5 scan.h5");
}

static void bad_files(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 30 --slices 2");
    cli_write_text(*state, "old.json", "{}\n");
    cli_refuses(*state, "none/trace.json | none | No such file",
                "recon scan.h5 -o out.h5 --rotation-axis 15.5 --trace none/trace.json");
    cli_refuses(*state, "none/profile.json | none | No such file",
                "recon scan.h5 -o out.h5 --rotation-axis 15.5 --profile=none/profile.json");
    cli_refuses(*state, "old.json exists | --overwrite",
                "recon scan.h5 -o out.h5 --rotation-axis 15.5 --trace old.json");
    cli_refuses(*state, "old.json exists | --overwrite",
                "recon scan.h5 -o out.h5 --rotation-axis 15.5 --profile old.json");
    cli_refuses(*state, "--profile | --trace | 'a.json' | different files",
                "recon scan.h5 -o out.h5 --trace a.json --profile=a.json");
    cli_refuses(*state, "--profile | 'profile.txt' | yes | .json", "recon scan.h5 -o out.h5 --profile=profile.txt");
    cli_refuses(*state, "--profile | 'profile.txt' | yes | .json", "recon --profile profile.txt scan.h5 -o out.h5");
}

/* Without FxT in StarPU a Paje file is refused; with it, it is written, and no other run leaves StarPU's files. */
static void paje(void **state)
{
    char temporary[TESTING_PATH + 8];
    CliRun run = {.directory = *state, .environment = temporary};
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 30 --slices 2");
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", (const char *)*state);
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 15.5 --algorithm cg --iterations 1 --pictures no --report "
                    "none --trace trace.paje");
    cli_wait(&run);
    if (run.exit_code == 2)
        assert_non_null(strstr(run.err, "sinodag: trace is 'trace.paje', which needs a StarPU with FxT, and this one "
                                        "has none; allowed: a name that does not end in .paje, or the StarPU that "
                                        "./run starpu builds"));
    else
        assert_int_equal(run.exit_code, 0);
    assert_names(*state, run.exit_code == 2 ? "scan.h5" : "out.h5 scan.h5 trace.paje");
    cli_free(&run);
}

int cli_trace_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(trace_and_profile),
        CLI_TEST(spellings),
        CLI_TEST(bad_files),
        CLI_TEST(paje),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int cli_trace_device_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int cli_trace_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(of_several_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
