/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate, graph: tasks take what those of a run that computes take (cli_simulate_lines.c counts them).
 */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>

#define PET "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o "

/* A scan without a file may be a cone beam; sizes of other jobs are told as those of slices are. */
static void other_jobs_are_told(void **state)
{
    (void)cli_simulator();
    cli_works(*state, PET "m.csr4");
    char *json = cli_simulated(
        *state,
        "--geometry cone --algorithm fdk --columns 24 --angles 36 --slices 16 --machine mirage --device cuda --json");
    assert_non_null(strstr(json, "\"scan\": {\"angles\": 36, \"columns\": 24, \"rows\": 16}"));
    assert_non_null(strstr(json, "\"name\": \"backproject_cone\", \"on\": \"cuda\""));
    free(json);
    json = cli_simulated(*state, "m.counts --system-matrix m.csr4 --iterations 2 --machine mirage --json");
    assert_non_null(strstr(json, "\"sets\": {\"count\": 1, \"together\": 1, \"subsets\": 1, \"row_partitions\": 8}"));
    assert_true(cli_number_after(json, "\"operator_bytes\": ", NULL) > 0);
    assert_non_null(strstr(json, "\"name\": \"list_bricks\""));
    free(json);
}

/* The first slab is read while the operator is built: the slower of both decides, not their sum. */
static void reading_and_building_overlap(void **state)
{
    static const char machine[] = "cores: 2\nmemory: 16 GiB\ncore-gflops: 50\ncore-bandwidth: 8\nfile-bandwidth: ";
    double building_s[2], load_s[2];
    cli_simulator();
    for (int slow = 0; slow < 2; slow++) {
        char text[160];
        snprintf(text, sizeof text, "%s%s\n", machine, slow ? "0.1" : "100");
        cli_write_text(*state, "files.yaml", text);
        char *json =
            cli_simulated(*state, "--columns 64 --angles 48 --slices 64 --iterations 2 --algorithm cg --machine "
                                  "files.yaml --projector rays --json");
        building_s[slow] = cli_number_after(json, "\"building_s\": ", NULL);
        load_s[slow] = cli_number_after(json, "\"name\": \"load\", \"on\": \"cpu\", \"count\": 1, \"seconds\": ", NULL);
        free(json);
    }
    assert_true(load_s[0] < 0.5 * building_s[0] && load_s[1] > 2 * building_s[0]);
    assert_true(building_s[1] >= load_s[1] && building_s[1] < load_s[1] + 0.5 * building_s[0]);
}

/* What StarPU takes between tasks, which runs have measured, is part of the simulation, in no task; other machines have
 * no such times. */
static void workers_pause_between_tasks(void **state)
{
    static const char options[] =
        "--algorithm cg --iterations 3 --minibatch 4 --projector rays --workers 1 --device cpu";
    const char *const at = *state;
    char line[256];
    (void)cli_simulator();
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    cli_works(at, "recon scan.h5 -o v.h5 --rotation-axis 31.5 %s", options);
    snprintf(line, sizeof line, "scan.h5 --rotation-axis 31.5 --json %s", options);
    char *json = cli_simulated(at, line);
    const double run_s = cli_number_after(json, "\"makespan_s\": ", NULL);
    const double task_s = cli_number_after(json, "\"task_s\": ", NULL);
    const double between_s = cli_number_after(json, "\"between_s\": ", NULL);
    const double tasks = cli_number_after(json, "\"tasks\": ", NULL);
    if (!(between_s > 1e-7 * tasks && between_s < 1e-2 * tasks)) fail_msg("%g s between %g tasks", between_s, tasks);
    assert_true(task_s + between_s <= run_s * (1 + 1e-6));
    free(json);
    snprintf(line, sizeof line, "scan.h5 --json --machine usual %s", options);
    json = cli_simulated(at, line);
    assert_true(cli_number_after(json, "\"between_s\": ", NULL) == 0);
    free(json);
}

/* Turning slices for each product takes longer than reading lengths, by what samples cost: cubic more than nearest. */
static void turned_slices_cost_samples(void **state)
{
    const char *const at = *state;
    (void)cli_simulator();
    const double rays = cli_simulated_s(at, CLI_SIMULATED_SIZES "--machine usual --device cpu --projector rays --json");
    const double nearest = cli_simulated_s(
        at, CLI_SIMULATED_SIZES "--machine usual --device cpu --projector rotate --interpolation nearest --json");
    const double cubic = cli_simulated_s(
        at, CLI_SIMULATED_SIZES "--machine usual --device cpu --projector rotate --interpolation cubic --json");
    assert_true(rays < nearest && 2 * nearest < cubic);
    char *json = cli_simulated(at, CLI_SIMULATED_SIZES "--machine mirage --projector rotate --json");
    assert_non_null(strstr(json, "\"name\": \"rotate_project\", \"on\": \"cuda\""));
    free(json);
    json = cli_simulated(at, CLI_SIMULATED_SIZES "--machine mirage --projector toeplitz --json");
    assert_non_null(strstr(json, "\"name\": \"toeplitz_product\", \"on\": \"cuda\""));
    assert_non_null(strstr(json, "\"name\": \"gridding_back\", \"on\": \"cuda\""));
    free(json);
}

/* Stages take what they compute, not only their bytes. */
static void stages_cost_what_they_compute(void **state)
{
    static const char *const method[] = {"sorting", "vo-all"};
    double seconds[2];
    char line[256];
    (void)cli_simulator();
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line,
                 CLI_SIMULATED_SIZES
                 "--machine usual --zinger-removal-method standard --remove-stripe-method %s --json",
                 method[i]);
        char *json = cli_simulated(*state, line);
        assert_true(cli_tasks_of(json, "stripes") > 0 &&
                    cli_tasks_of(json, "zingers") == cli_tasks_of(json, "stripes"));
        const char *const stripes = strstr(json, "\"name\": \"stripes\"");
        seconds[i] = cli_number_after(stripes, "\"seconds\": ", NULL);
        free(json);
    }
    assert_true(4 * seconds[0] < seconds[1]);
}

static void every_algorithm_and_precision(void **state)
{
    (void)cli_simulator();
    for (const char *const *word =
             (const char *const[]){"cg", "cg --weights counts", "sirt", "fbp", "mlem", "osem", NULL};
         *word; word++) {
        char line[256];
        snprintf(line, sizeof line,
                 "--columns 64 --angles 48 --slices 8 --projector rays --partitions 2 --algorithm %s%s", *word,
                 strcmp(*word, "fbp") == 0 ? "" : " --iterations 2");
        char *out = cli_simulated(*state, line);
        assert_non_null(strstr(out, "makespan"));
        free(out);
    }
    for (const char *const *word = (const char *const[]){"double", "half", "mixed", NULL}; *word; word++) {
        char line[256];
        snprintf(line, sizeof line, CLI_SIMULATED_SIZES "--machine sirocco --precision %s --json", *word);
        assert_true(cli_simulated_s(*state, line) > 0);
    }
}

int cli_simulate_graph_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(other_jobs_are_told),           CLI_TEST(reading_and_building_overlap),
        CLI_TEST(workers_pause_between_tasks),   CLI_TEST(turned_slices_cost_samples),
        CLI_TEST(stages_cost_what_they_compute), CLI_TEST(every_algorithm_and_precision),
    };
    return cmocka_run_group_tests_name("cli_simulate_graph", tests, NULL, NULL);
}
