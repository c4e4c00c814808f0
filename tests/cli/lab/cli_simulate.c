/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate: its program, reports, policies in shared objects, and what it refuses. Without a simulator
 * only its absence is tested. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>

static void no_simulator(void **state)
{
    CliRun run = {.directory = *state, .environment = "SINODAG_SIMULATOR=/nonexistent/sinodag"};
    cli_start(&run, "simulate " CLI_SIMULATED_SIZES);
    cli_wait(&run);
    cli_assert_ended(&run, 2, "SINODAG_SIMULATOR | '/nonexistent/sinodag' | `./run simulator`");
    CliRun help = {.directory = *state, .environment = "SINODAG_SIMULATOR=/nonexistent/sinodag"};
    cli_start(&help, "simulate --help");
    cli_wait(&help);
    assert_int_equal(help.exit_code, 0);
    assert_non_null(strstr(help.out, "--machine"));
    cli_free(&help);
}

/* What it says of its arguments comes from the program itself, whatever simulator there is. */
static void program_answers(void **state)
{
    CliRun help = {.directory = *state, .environment = "SINODAG_SIMULATOR=/bin/false"};
    cli_start(&help, "simulate --help");
    cli_wait(&help);
    assert_int_equal(help.exit_code, 0);
    assert_non_null(strstr(help.out, "--machine"));
    cli_free(&help);
    CliRun wrong = {.directory = *state, .environment = "SINODAG_SIMULATOR=/bin/true"};
    cli_start(&wrong, "simulate --columns 64 --angles 48 --slices x");
    cli_wait(&wrong);
    assert_int_equal(wrong.exit_code, 2);
    assert_non_null(strstr(wrong.err, "slices is 'x'"));
    cli_free(&wrong);
}

/* Everything but the time of the simulation itself; the caller frees it. */
static char *repeatable_part(const char *directory)
{
    char *json =
        cli_simulated(directory, CLI_SIMULATED_SIZES "--machine mirage --device cuda --scheduler dmdas --json");
    char *const wall = strstr(json, "\"wall_s\"");
    assert_non_null(wall);
    if (wall) *wall = '\0';
    return json;
}

static void runs_are_repeatable(void **state)
{
    (void)cli_simulator();
    char *first = repeatable_part(*state), *second = repeatable_part(*state);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "\"transfers\": [{"));
    assert_non_null(strstr(first, "\"starpu_patches\": ["));
    free(first);
    free(second);
}

/* Bytes from devices to main memory. */
static double returned_bytes(const char *json)
{
    double bytes = 0;
    const char *at = strstr(json, "\"transfers\": [{");
    while (at && (at = strstr(at, "{\"from\": \"CUDA "))) {
        const char *const to = strstr(at, "\"to\": ");
        const double number = cli_number_after(at, "\"bytes\": ", &at);
        if (to && strncmp(to, "\"to\": \"NUMA", 11) == 0) bytes += number;
    }
    return bytes;
}

/* Devices send back the volume, the projections once, and what is small. */
static void devices_drop_what_is_dead(void **state)
{
    (void)cli_simulator();
    char *json = cli_simulated(*state, "--columns 256 --angles 400 --slices 64 --partitions 4 --algorithm cg "
                                       "--iterations 3 --machine sirocco --scheduler sino-affinity --json");
    const double volume = 64 * 256 * 256 * sizeof(float), projections = 64 * 256 * 400 * sizeof(float);
    const double bytes = returned_bytes(json);
    assert_true(bytes >= volume && bytes <= 1.1 * (volume + projections));
    free(json);
}

/* A full device does not write back partial sums that nobody reads any more: of some 2.9 GB 0.6 GB remain. */
static void full_devices_drop_partial_sums(void **state)
{
    (void)cli_simulator();
    cli_write_text(*state, "full.yaml", "like: sirocco\ndevice-memory: 500 MB\n");
    char *json = cli_simulated(*state, "--columns 256 --angles 400 --slices 256 --partitions 16 --algorithm cg "
                                       "--iterations 1 --machine full.yaml --scheduler sino-affinity --json");
    assert_true(returned_bytes(json) < 1e9);
    free(json);
}

/* Trace and profile have virtual times: as long as the makespan, not as the run. */
static void trace_and_profile(void **state)
{
    (void)cli_simulator();
    char *json =
        cli_simulated(*state, CLI_SIMULATED_SIZES "--machine mirage --trace trace.json --profile=profile.json --json");
    const double seconds = cli_number_after(json, "\"makespan_s\": ", NULL);
    free(json);
    const int64_t bytes = cli_file_size(*state, "profile.json");
    char *read = cli_read_bytes(*state, "profile.json", (size_t)bytes);
    read[bytes - 1] = '\0';
    const double told = cli_number_after(strstr(read, "\"name\": \"run\""), "\"makespan_s\": ", NULL);
    assert_true(told <= seconds * 1.001 && told >= seconds * 0.9);
    assert_true(cli_file_size(*state, "trace.json") > 1000);
    free(read);
}

static void a_policy_of_a_shared_object(void **state)
{
    char line[2 * TESTING_PATH], object[TESTING_PATH];
    snprintf(object, sizeof object, "%s", cli_simulator());
    *strrchr(object, '/') = '\0';
    snprintf(line, sizeof line,
             CLI_SIMULATED_SIZES "--machine h100x1 --device cpu --scheduler %s/policy_longest.so:longest", object);
    char *out = cli_simulated(*state, line);
    assert_non_null(strstr(out, "policy longest"));
    free(out);
}

/* Its locks would be those of the system, which never open in a simulation. */
static void a_policy_for_the_usual_starpu(void **state)
{
    char message[2 * TESTING_PATH];
    const char *const object = getenv("SINODAG_POLICY");
    (void)cli_simulator();
    assert_non_null(object);
    snprintf(message, sizeof message, "%s | StarPU that does not simulate | .simulator/lib/pkgconfig", object);
    cli_refuses(*state, message, "simulate " CLI_SIMULATED_SIZES "--scheduler %s:longest", object);
}

/* No page of the operator or of a vector is touched; meson would have malloc touch them. */
static void large_scans_take_little_memory(void **state)
{
    (void)cli_simulator();
    CliRun run = {.directory = *state, .environment = "MALLOC_PERTURB_=0"};
    cli_start(&run,
              "simulate --columns 2048 --angles 2048 --slices 2048 --algorithm cg --iterations 1 --machine h100x8");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    if (run.peak_bytes > (int64_t)2 << 30) fail_msg("%.3g bytes of memory", (double)run.peak_bytes);
    assert_true(run.elapsed_s < 60);
    cli_free(&run);
}

static void refusals(void **state)
{
    const char *const at = *state;
    (void)cli_simulator();
    cli_refuses(at, "workers | 99 | 1 to 9 | 'mirage'",
                "simulate " CLI_SIMULATED_SIZES "--machine mirage --workers 99");
    cli_refuses(at, "--projector | pixels | --device cpu | --projector rays",
                "simulate --columns 64 --angles 48 --slices 16 --algorithm fbp --machine mirage --projector pixels");
    cli_refuses(at, "device | 'cuda' | CUDA | cpu", "simulate " CLI_SIMULATED_SIZES "--device cuda --machine usual");
    CliRun run = {.directory = at};
    cli_start(&run, "simulate " CLI_SIMULATED_SIZES "--machine nowhere");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "--machine is 'nowhere'; allowed: "));
    cli_free(&run);
    CliRun policy = {.directory = at};
    cli_start(&policy, "simulate " CLI_SIMULATED_SIZES "--scheduler best");
    cli_wait(&policy);
    assert_int_equal(policy.exit_code, 2);
    assert_non_null(strstr(policy.err, "scheduler is 'best'; this StarPU has:"));
    cli_free(&policy);
}

/* The simulator itself computes nothing. */
static void it_computes_nothing(void **state)
{
    char usual[TESTING_PATH];
    snprintf(usual, sizeof usual, "%s", getenv("SINODAG"));
    setenv("SINODAG", cli_simulator(), 1);
    cli_refuses(*state, "simulates | computes nothing | simulate, plan, info",
                "phantom -o scan.h5 --size 16 --angles 8 --slices 1");
    cli_works(*state, "plan " CLI_SIMULATED_SIZES);
    setenv("SINODAG", usual, 1);
}

int cli_simulate_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(no_simulator),
        CLI_TEST(program_answers),
        CLI_TEST(runs_are_repeatable),
        CLI_TEST(devices_drop_what_is_dead),
        CLI_TEST(full_devices_drop_partial_sums),
        CLI_TEST(trace_and_profile),
        CLI_TEST(a_policy_of_a_shared_object),
        CLI_TEST(a_policy_for_the_usual_starpu),
        CLI_TEST(large_scans_take_little_memory),
        CLI_TEST(refusals),
        CLI_TEST(it_computes_nothing),
    };
    return cmocka_run_group_tests_name("cli_simulate", tests, NULL, NULL);
}
