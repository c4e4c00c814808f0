/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate, graph: tasks are those of a run that computes, and take what such tasks take. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>

/* The profile of a run that computes with these options, and what simulate says of the same; the caller frees both. */
static void run_and_simulate(const char *at, const char *options, char **real, char **json)
{
    enum { PROFILE_BYTES = 1 << 20 };
    char line[256];
    cli_works(at, "recon scan.h5 -o v.h5 --overwrite --rotation-axis 31.5 --profile=real.json %s", options);
    snprintf(line, sizeof line, "scan.h5 --json %s", options);
    *json = cli_simulated(at, line);
    const int64_t bytes = cli_file_size(at, "real.json");
    assert_in_range(bytes, 1, PROFILE_BYTES);
    char *read = cli_read_bytes(at, "real.json", (size_t)bytes);
    *real = calloc(1, (size_t)bytes + 1);
    assert_non_null(*real);
    memcpy(*real, read, (size_t)bytes);
    free(read);
}

/* As many tasks of each kind of the list as in a run that computes, and no tasks of another kind. */
static void assert_same_graph(const char *at, const char *options, const char *const *kind)
{
    char *real, *json;
    int64_t all = 0;
    run_and_simulate(at, options, &real, &json);
    for (; *kind; kind++) {
        const int64_t count = cli_tasks_of(real, *kind);
        if (count != cli_tasks_of(json, *kind) || count == 0)
            fail_msg("%s: %d tasks in the run, %d simulated", *kind, (int)count, (int)cli_tasks_of(json, *kind));
        all += count;
    }
    assert_int_equal((int64_t)cli_number_after(json, "\"tasks\": ", NULL), all);
    free(real);
    free(json);
}

#define OF_SCAN "checksum", "load", "correct", "sample", "assemble", "store"
#define OF_CG                                                                                                          \
    "update_start", "update_sums", "update_step", "update_record", "update_voxels_cg", "update_residual_cg",           \
        "update_direction"

static void same_graph(void **state)
{
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    assert_same_graph(*state, "--algorithm cg --iterations 3 --minibatch 4 --partitions 2 --projector rays --workers 1",
                      (const char *const[]){"trace", "pack", "spmm_project", "spmm_backproject", "reduce_node",
                                            "update_collect", OF_SCAN, OF_CG, NULL});
}

/* Operators that are not stored are simulated, too. */
static void same_graph_without_lengths(void **state)
{
    static const char common[] = "--minibatch 4 --workers 1 --device cpu";
    static const struct {
        const char *options;
        const char *kind[20];
    } way[] = {
        {"--projector rotate --interpolation cubic --algorithm cg --iterations 3 --partitions 2",
         {"rays_begin", "rays_end", "rotate_project", "rotate_back", "update_collect", OF_SCAN, OF_CG}},
        {"--projector pixels --algorithm fbp", {"pixels_back", "filter", "update_start", "update_sums", OF_SCAN}},
        {"--projector gridding --algorithm fbp", {"gridding_back", "filter", "update_start", "update_sums", OF_SCAN}},
        {"--projector toeplitz --algorithm cg --iterations 3",
         {"toeplitz_product", "gridding_back", "update_start", "update_sums", "update_step", "update_record",
          "update_voxels_cg", "update_residual", "update_gradient_cg", "update_direction", OF_SCAN}}};
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s %s", common, way[i].options);
        assert_same_graph(*state, line, way[i].kind);
    }
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
    char *real, *json, line[256];
    (void)cli_simulator();
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    run_and_simulate(at, options, &real, &json);
    const double run_s = cli_number_after(json, "\"makespan_s\": ", NULL);
    const double task_s = cli_number_after(json, "\"task_s\": ", NULL);
    const double between_s = cli_number_after(json, "\"between_s\": ", NULL);
    const double tasks = cli_number_after(json, "\"tasks\": ", NULL);
    if (!(between_s > 1e-7 * tasks && between_s < 1e-2 * tasks)) fail_msg("%g s between %g tasks", between_s, tasks);
    assert_true(task_s + between_s <= run_s * (1 + 1e-6));
    free(json);
    free(real);
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
    assert_non_null(strstr(json, "\"name\": \"gridding_back\", \"on\": \"cpu\""));
    free(json);
}

/* Stages are simulated, in the order of --stages, and all that a stage has to do. */
static void same_stages(void **state)
{
    static const char common[] = "--minibatch 4 --workers 1 --device cpu --projector rays --algorithm fbp";
    static const char phase[] = "--phase-method paganin --energy 20 --propagation-distance 100 --pixel-size 1 "
                                "--delta-beta 1";
    static const struct {
        const char *options;
        const char *kind[16];
    } way[] = {{"--air 4 --beam-hardening 1,0.1 --zinger-removal-method standard --remove-stripe-method ti "
                "--stages harden,stripes,air,zingers",
                {"zingers", "air", "stripes", "harden", "correct", NULL}},
               {"", {"phase", NULL}},
               {"--detector-tilt 1 --air 4", {"tilt", "air", NULL}}};
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char line[400];
        const char *kind[24] = {"trace",  "checksum",         "load",         "sample",     "assemble", "store",
                                "filter", "spmm_backproject", "update_start", "update_sums"};
        int count = 10;
        for (int k = 0; way[i].kind[k]; k++) kind[count++] = way[i].kind[k];
        kind[count] = NULL;
        snprintf(line, sizeof line, "%s %s", common, way[i].options[0] ? way[i].options : phase);
        assert_same_graph(*state, line, kind);
    }
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
        CLI_TEST(same_graph),
        CLI_TEST(same_graph_without_lengths),
        CLI_TEST(reading_and_building_overlap),
        CLI_TEST(workers_pause_between_tasks),
        CLI_TEST(turned_slices_cost_samples),
        CLI_TEST(same_stages),
        CLI_TEST(stages_cost_what_they_compute),
        CLI_TEST(every_algorithm_and_precision),
    };
    return cmocka_run_group_tests_name("cli_simulate_graph", tests, NULL, NULL);
}
