/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate: its program, reports, policies in shared objects, and what it refuses. Without a simulator
 * only its absence is tested. */
#include "cli_simulator.h"

#include <math.h>
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

#define COMES                                                                                                          \
    "--angles 96 --columns 64 --slices 16 --algorithm fbp --projector pixels --follow --machine h100x1 --device cpu "  \
    "--json "

/* Devices have no kernels of pixels, which a page does not need. A run ends after the last projection, and has the
 * tasks of one whose projections are there. It tells whether it keeps up. */
static void scans_that_come(void **state)
{
    (void)cli_simulator();
    char *whole = cli_simulated(*state, COMES), *slow = cli_simulated(*state, COMES "--arrival 10");
    char *fast = cli_simulated(*state, COMES "--arrival 1e6");
    free(cli_simulated(*state, "--angles 96 --columns 64 --slices 16 --algorithm fbp --machine h100x1 "
                               "--follow=live.html --arrival 10"));
    const char *const arrival = strstr(slow, "\"arrival\": {");
    assert_null(strstr(whole, "\"arrival\""));
    assert_non_null(arrival);
    assert_true(cli_number_after(whole, "\"makespan_s\": ", NULL) < 9);
    assert_true(fabs(cli_number_after(arrival, "\"last_s\": ", NULL) - 9.6) < 1e-9);
    const double makespan_s = cli_number_after(slow, "\"makespan_s\": ", NULL);
    const double latency_s = cli_number_after(arrival, "\"latency_s\": ", NULL);
    assert_true(makespan_s > 9.6 && fabs(makespan_s - 9.6 - latency_s) < 1e-4);
    for (int bound = 0; bound < 2; bound++) {
        const double least_s = cli_number_after(slow, bound == 0 ? "\"critical_path_s\": " : "\"area_s\": ", NULL);
        assert_true(least_s > 9.6 && least_s <= makespan_s + 1e-5);
    }
    assert_int_equal((int)cli_number_after(arrival, "\"blocks\": ", NULL), 3);
    assert_non_null(strstr(arrival, "\"keeps_up\": true"));
    assert_non_null(strstr(fast, "\"keeps_up\": false"));
    assert_int_equal(cli_tasks_of(fast, "pixels_back"), cli_tasks_of(whole, "pixels_back"));
    free(whole);
    free(slow);
    free(fast);
}

/* Projections that are left out take their time. */
static void files_that_come(void **state)
{
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 48 --slices 4");
    char *out = cli_simulated(*state, "scan.h5 --rotation-axis 15.5 --algorithm fbp --projector gridding --exclude 0:8 "
                                      "--follow --arrival 10");
    assert_non_null(strstr(out, "10 projections a second, the last one after 4.8 s; the volume is complete 0.0"));
    free(out);
}

static void rates_that_are_none(void **state)
{
    static const char *const rate[] = {"0", "-1", "nan", "inf", "fast"};
    (void)cli_simulator();
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
        cli_refuses(*state, "--arrival | above 0", "simulate " COMES "--arrival %s", rate[i]);
    cli_refuses(*state, "--arrival 10 | --follow no | allowed: with --follow",
                "simulate " CLI_SIMULATED_SIZES "--arrival 10");
    cli_refuses(*state, "--follow | --algorithm cg | fbp", "simulate " CLI_SIMULATED_SIZES "--follow --arrival 10");
    cli_refuses(*state, "--follow | --algorithm cg | fdk",
                "simulate " CLI_SIMULATED_SIZES "--geometry cone --follow --arrival 10");
    cli_refuses(*state, "--arrival", "recon scan.h5 -o volume.h5 --follow --arrival 10");
}

/* No page of the operator, of a vector or of a picture is touched; meson would have malloc touch them. */
static void takes_little_memory(const char *at, const char *rest)
{
    CliRun run = {.directory = at, .environment = "MALLOC_PERTURB_=0"};
    cli_start(&run, "simulate --columns 2048 --algorithm cg --iterations 1 %s", rest);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    if (run.peak_bytes > (int64_t)256 << 20) fail_msg("%s: %.3g bytes of memory", rest, (double)run.peak_bytes);
    assert_true(run.elapsed_s < 60);
    cli_free(&run);
}

static void large_scans_take_little_memory(void **state)
{
    (void)cli_simulator();
    takes_little_memory(*state, "--angles 2048 --slices 2048 --machine h100x8");
    takes_little_memory(*state, "--angles 512 --slices 4 --machine h100x1 --projector toeplitz");
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
        CLI_TEST(scans_that_come),
        CLI_TEST(files_that_come),
        CLI_TEST(rates_that_are_none),
        CLI_TEST(large_scans_take_little_memory),
        CLI_TEST(refusals),
        CLI_TEST(it_computes_nothing),
    };
    return cmocka_run_group_tests_name("cli_simulate", tests, NULL, NULL);
}
