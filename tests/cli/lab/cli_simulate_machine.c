/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate, machine: cores, devices, links, and policies that use them. */
#include "cli_simulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the reconstruction alone. */
static double part_s(const char *json)
{
    return cli_number_after(json, "\"makespan_s\": ", NULL) - cli_number_after(json, "\"building_s\": ", NULL);
}

static void more_workers_are_faster(void **state)
{
    static const char *const options = "--columns 128 --angles 96 --slices 64 --algorithm cg --iterations 4 "
                                       "--minibatch 8 --machine h100x1 --device cpu --json "
                                       "--workers ";
    double before = INFINITY;
    (void)cli_simulator();
    for (int workers = 1; workers <= 8; workers *= 2) {
        char line[256];
        snprintf(line, sizeof line, "%s%d", options, workers);
        const double seconds = cli_simulated_s(*state, line);
        if (!(seconds < 0.8 * before)) fail_msg("%d workers: %g s, fewer: %g s", workers, seconds, before);
        before = seconds;
    }
}

/* Policies with models know the links of every device, so that each gets some of twelve minibatches. */
static void every_device_has_links(void **state)
{
    static const char *const policy[] = {"dmda", "dmdas", "modular-heft"};
    (void)cli_simulator();
    for (int p = 0; p < 3; p++) {
        char line[256];
        snprintf(line, sizeof line,
                 "--columns 256 --angles 200 --slices 192 --algorithm cg --iterations 4 --minibatch 16 --partitions 1 "
                 "--device cuda --json "
                 "--machine mirage --scheduler %s",
                 policy[p]);
        char *json = cli_simulated(*state, line);
        const char *rest = json;
        double bytes[3];
        for (int d = 0; d < 3; d++) {
            char node[40];
            snprintf(node, sizeof node, "\"node\": \"CUDA %d\", \"most_bytes\": ", d);
            bytes[d] = cli_number_after(json, node, &rest);
        }
        if (!(bytes[0] > 0 && bytes[1] > 0 && bytes[2] > 0)) fail_msg("%s: %s", policy[p], json);
        free(json);
    }
}

/* An OpenCL device runs what has an OpenCL kernel, which `correct` and `assemble` have not. */
static void opencl_devices(void **state)
{
    const char *const at = *state;
    const char *const words =
        "--columns 64 --angles 48 --slices 16 --algorithm cg --iterations 2 --partitions 2 --json "
        "--machine ocl.yaml --device";
    char line[256];
    (void)cli_simulator();
    cli_write_text(at, "ocl.yaml", "like: h100x1\ndevice: opencl\n");
    snprintf(line, sizeof line, "%s opencl", words);
    char *json = cli_simulated(at, line);
    assert_non_null(strstr(json, "\"name\": \"spmm_project\", \"on\": \"opencl\""));
    assert_null(strstr(json, "\"on\": \"cuda\""));
    assert_int_equal(cli_tasks_of(json, "spmm_project"), 0);
    assert_true(cli_tasks_of(json, "correct") > 0 && cli_tasks_of(json, "assemble") > 0);
    free(json);
    snprintf(line, sizeof line, "%s cpu", words);
    json = cli_simulated(at, line);
    assert_null(strstr(json, "\"on\": \"opencl\""));
    free(json);
    cli_refuses(at, "device | 'cuda' | 'ocl.yaml' | cpu, opencl, all", "simulate %s cuda", words);
    cli_refuses(at, "device | 'opencl' | 'mirage' | cpu, all",
                "simulate " CLI_SIMULATED_SIZES "--device opencl --machine mirage");
}

/* CUDA pins main memory, for which StarPU's simulation counts 650 µs for each MiB; OpenCL devices pin nothing. Which of
 * the two it counts is seen beside a run in which the variable of StarPU says so. */
static void opencl_devices_pin_nothing(void **state)
{
    static const char pinning[] = "STARPU_SIMGRID_CUDA_MALLOC_COST=1";
    static const char *const words[] = {"--machine ocl.yaml", "--machine h100x1"};
    (void)cli_simulator();
    cli_write_text(*state, "ocl.yaml", "like: h100x1\ndevice: opencl\n");
    for (int cuda = 0; cuda < 2; cuda++) {
        char line[256];
        snprintf(line, sizeof line,
                 "--columns 256 --angles 200 --slices 64 --algorithm cg --iterations 2 --projector rays --json %s",
                 words[cuda]);
        char *own = cli_simulated(*state, line), *pinned = cli_simulated_with(*state, pinning, line);
        const double own_s = cli_number_after(own, "\"makespan_s\": ", NULL);
        const double pinned_s = cli_number_after(pinned, "\"makespan_s\": ", NULL);
        if (cuda ? own_s < pinned_s : !(1.1 * own_s < pinned_s))
            fail_msg("%s: %g s, pinned: %g s", words[cuda], own_s, pinned_s);
        free(own);
        free(pinned);
    }
}

/* Homes on nodes of GPUs: products run there and nowhere else. Policies that know times and transfers are nearly as
 * fast, as GPUs iterate alone and products pass on their rays; one that knows nothing is not. */
static void homes_are_fast(void **state)
{
    static const char *const machine[] = {"mirage", "sirocco", "h100x8"};
    static const struct {
        const char *name;
        double least, most; /* of our time */
    } policy[] = {{"dmdas", 0.8, 1.3}, {"dmda", 0.8, 1.3}, {"dmdar", 0.8, 1.3}, {"eager", 1.3, 10}};
    const char *const words =
        "--columns 256 --angles 400 --slices 256 --algorithm cg --iterations 4 --partitions 4 --json --machine";
    (void)cli_simulator();
    for (int m = 0; m < 3; m++) {
        char line[256];
        snprintf(line, sizeof line, "%s %s --scheduler sino-affinity", words, machine[m]);
        char *json = cli_simulated(*state, line);
        const double ours = part_s(json);
        assert_int_equal(cli_tasks_of(json, "spmm_project") + cli_tasks_of(json, "spmm_backproject"), 0);
        free(json);
        for (size_t p = 0; p < sizeof policy / sizeof *policy; p++) {
            snprintf(line, sizeof line, "%s %s --scheduler %s", words, machine[m], policy[p].name);
            json = cli_simulated(*state, line);
            const double theirs = part_s(json);
            if (!(policy[p].least * ours < theirs && theirs < policy[p].most * ours))
                fail_msg("%s: %g s, %s: %g s", machine[m], ours, policy[p].name, theirs);
            free(json);
        }
    }
}

/* Every device has all lists if those of all subsets fill no more than half of its memory; only then products pass on
 * their rays. */
static void subsets_share_the_room_for_lists(void **state)
{
    static const char *const memory[] = {"2 GB", "400 MB"};
    (void)cli_simulator();
    for (int tight = 0; tight < 2; tight++) {
        char text[64];
        snprintf(text, sizeof text, "like: h100x1\ndevices: 2\ndevice-memory: %s\n", memory[tight]);
        cli_write_text(*state, "two.yaml", text);
        char *json = cli_simulated(*state, "--columns 512 --angles 256 --slices 4 --partitions 4 --minibatch 2 --json "
                                           "--projector rays --algorithm osem --subsets 4 --iterations 1 "
                                           "--machine two.yaml");
        assert_int_equal(strstr(json, "\"reduce_node\"") != NULL, tight);
        free(json);
    }
}

/* Cores correct and filter here, so that the rays' sum of squares is computed there, too. */
static void rays_of_direct_solvers_stay_on_cores(void **state)
{
    (void)cli_simulator();
    char *json = cli_simulated(
        *state, "--columns 64 --angles 48 --slices 64 --minibatch 8 --algorithm fbp --json --machine mirage");
    assert_int_equal(cli_tasks_of(json, "filter"), 8);
    assert_int_equal(cli_tasks_of(json, "update_sums"), 8);
    free(json);
}

/* Slow devices get nothing. */
static void slow_devices_get_no_products(void **state)
{
    (void)cli_simulator();
    cli_write_text(*state, "slow.yaml", "like: mirage\ndevice-gflops: 10\n");
    char *json = cli_simulated(
        *state, "--columns 128 --angles 96 --slices 16 --algorithm cg --iterations 2 --partitions 4 --json "
                "--machine slow.yaml --scheduler sino-affinity");
    assert_int_equal(cli_tasks_of(json, "spmm_project"), 4 * 2 * 1);
    free(json);
}

/* graph_test gives no task to a worker before it is told that all have been submitted. */
static void a_policy_that_waits_for_all_tasks(void **state)
{
    (void)cli_simulator();
    const double all_s =
        cli_simulated_s(*state, CLI_SIMULATED_SIZES "--minibatch 4 --scheduler graph_test --machine usual --json");
    const double prio_s =
        cli_simulated_s(*state, CLI_SIMULATED_SIZES "--minibatch 4 --scheduler prio --machine usual --json");
    assert_true(all_s < 2 * prio_s);
}

/* A policy that gives no task to any worker: SimGrid sees that nothing can go on, and the program fails. */
static void a_standstill_fails(void **state)
{
    char object[TESTING_PATH];
    snprintf(object, sizeof object, "%s", cli_simulator());
    *strrchr(object, '/') = '\0';
    CliRun run = {.directory = *state};
    cli_start(&run, "simulate " CLI_SIMULATED_SIZES "--machine usual --scheduler %s/policy_idle.so:idle", object);
    cli_wait(&run);
    assert_null(strstr(run.out, "makespan"));
    cli_assert_ended(&run, 1, "simulation | standstill | tasks | --scheduler");
}

int cli_simulate_machine_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(more_workers_are_faster),
        CLI_TEST(every_device_has_links),
        CLI_TEST(opencl_devices),
        CLI_TEST(opencl_devices_pin_nothing),
        CLI_TEST(homes_are_fast),
        CLI_TEST(subsets_share_the_room_for_lists),
        CLI_TEST(rays_of_direct_solvers_stay_on_cores),
        CLI_TEST(slow_devices_get_no_products),
        CLI_TEST(a_policy_that_waits_for_all_tasks),
        CLI_TEST(a_standstill_fails),
    };
    return cmocka_run_group_tests_name("cli_simulate_machine", tests, NULL, NULL);
}
