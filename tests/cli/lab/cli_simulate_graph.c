/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate, graph: tasks are those of a run that computes, and take what such tasks take. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>

/* The profile of a run that computes with this input and these options, and what simulate says of the same; the caller
 * frees both. */
static void run_and_simulate(const char *at, const char *input, const char *options, char **real, char **json)
{
    enum { PROFILE_BYTES = 1 << 20 };
    char line[400];
    cli_works(at, "recon %s -o v.h5 --overwrite --profile=real.json %s", input, options);
    snprintf(line, sizeof line, "%s --json %s", input, options);
    *json = cli_simulated(at, line);
    const int64_t bytes = cli_file_size(at, "real.json");
    assert_in_range(bytes, 1, PROFILE_BYTES);
    char *read = cli_read_bytes(at, "real.json", (size_t)bytes);
    *real = calloc(1, (size_t)bytes + 1);
    assert_non_null(*real);
    memcpy(*real, read, (size_t)bytes);
    free(read);
}

static const char scan[] = "scan.h5 --rotation-axis 31.5";

/* As many tasks of each kind of the list as in a run that computes, and no tasks of another kind. */
static void assert_same_graph(const char *at, const char *options, const char *const *kind)
{
    char *real, *json;
    int64_t all = 0;
    run_and_simulate(at, scan, options, &real, &json);
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

/* The same kinds of tasks as in a run that computes, and as many of each. */
static void assert_same_kinds(const char *at, const char *input, const char *options)
{
    char *real, *json, name[64];
    int64_t all = 0;
    run_and_simulate(at, input, options, &real, &json);
    const char *kind = strstr(json, "\"kinds\": ["), *const end = kind ? strchr(kind, ']') : NULL;
    assert_non_null(end);
    while ((kind = strstr(kind + 1, "{\"name\": \"")) && kind < end) {
        assert_int_equal(sscanf(kind, "{\"name\": \"%63[^\"]", name), 1);
        const int64_t count = cli_tasks_of(real, name), simulated = cli_tasks_of(json, name);
        if (count != simulated)
            fail_msg("%s %s: %d tasks %s in the run, %d simulated", input, options, (int)count, name, (int)simulated);
        all += count;
    }
    assert_int_equal((int64_t)cli_number_after(strstr(real, "\"name\": \"run\""), "\"tasks\": ", NULL), all);
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

#define ALONE "--workers 1 --device cpu --iterations 2 "

/* A cone beam's volume, by iterations and by FDK. */
static void same_graph_of_cones(void **state)
{
    static const char *const way[][2] = {
        {"cone", ALONE "--algorithm sirt --nonnegativity"},
        {"cone", ALONE "--algorithm osem --subsets 3 --volume 40x40x24 --voxel-size 0.1"},
        {"fan", ALONE "--algorithm cg"},
        {"cone", ALONE "--algorithm cg --remove-stripe-method ti --zinger-removal-method standard"},
        {"cone", "--workers 1 --device cpu"},
        {"fan", "--workers 1 --device cpu --fbp-filter hann --precision mixed --symmetry no"}};
    (void)cli_simulator();
    cli_works(*state, "phantom -o cone.h5 --geometry cone --size 24 --angles 36 --slices 40");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char input[80];
        snprintf(input, sizeof input, "cone.h5 --rotation-axis 11.5 --geometry %s", way[i][0]);
        assert_same_kinds(*state, input, way[i][1]);
    }
}

#define PET "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o "

/* Counts, of one set and of more than are solved together, by a matrix as it is and folded, and what goes with it. */
static void same_graph_of_counts(void **state)
{
    static const char *const way[][2] = {
        {"m.counts --system-matrix m.csr4", ALONE "--algorithm osem --subsets 4 --precision mixed"},
        {"m.counts --system-matrix m.csr4", ALONE "--algorithm bsrem --subsets 4 --post-filter 1"},
        {"m.counts --system-matrix m.csr4", ALONE "--algorithm cg"},
        {"m.counts --system-matrix m.csr4", ALONE "--multiplicative m.counts --additive m.counts --start m.truth.h5 "
                                                  "--mask m.truth.h5 --sensitivity m.truth.h5"},
        {"r.counts --system-matrix f.csr4", ALONE "--algorithm osem"}};
    (void)cli_simulator();
    cli_works(*state, PET "m.csr4");
    cli_works(*state, PET "f.csr4 --mirrors folded");
    cli_works(*state, PET "r.csr4 --replicates 40");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) assert_same_kinds(*state, way[i][0], way[i][1]);
}

/* What starts, bounds and regularises slices is simulated, too. */
static void same_graph_of_priors(void **state)
{
    static const char *const way[] = {ALONE "--regularization 0.1 --support-ratio 0.9 --prior-dimensions 3",
                                      ALONE "--algorithm sirt --start start.h5 --relaxation 0.5"};
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 48 --slices 8 --truth start.h5");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) assert_same_kinds(*state, scan, way[i]);
}

/* A scan without a file may be a cone beam; sizes of other jobs are told as those of slices are. */
static void other_jobs_are_told(void **state)
{
    (void)cli_simulator();
    cli_works(*state, PET "m.csr4");
    char *json = cli_simulated(
        *state, "--geometry cone --columns 24 --angles 36 --slices 16 --machine mirage --device cuda --json");
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
    char *real, *json, line[256];
    (void)cli_simulator();
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 48 --slices 8");
    run_and_simulate(at, scan, options, &real, &json);
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
        CLI_TEST(same_graph_of_cones),
        CLI_TEST(same_graph_of_counts),
        CLI_TEST(same_graph_of_priors),
        CLI_TEST(other_jobs_are_told),
        CLI_TEST(reading_and_building_overlap),
        CLI_TEST(workers_pause_between_tasks),
        CLI_TEST(turned_slices_cost_samples),
        CLI_TEST(same_stages),
        CLI_TEST(stages_cost_what_they_compute),
        CLI_TEST(every_algorithm_and_precision),
    };
    return cmocka_run_group_tests_name("cli_simulate_graph", tests, NULL, NULL);
}
