/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate: graphs in virtual time, by the program that `./run simulator` builds, with the policy of
 * docs/policy_longest.c beside it. Without one only its absence is tested. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES "--columns 64 --angles 48 --slices 16 --algorithm cg --iterations 3 "

const char *cli_simulator(void)
{
    static char path[TESTING_PATH];
    const char *given = getenv("SINODAG_SIMULATOR");
    snprintf(path, sizeof path, "%s", given ? given : getenv("SINODAG"));
    char *const slash = strrchr(path, '/');
    if (!given && slash) snprintf(slash, sizeof path - (size_t)(slash - path), "/../build-simulator/sinodag");
    if (access(path, X_OK) != 0) {
        print_message("there is no %s, so nothing was simulated: `./run simulator` builds it\n", path);
        skip();
    }
    return path;
}

/* What simulate says with these options; the caller frees it. */
static char *simulated(const char *directory, const char *options)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "simulate %s", options);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", options, run.exit_code, run.err);
    char *out = strdup(run.out);
    assert_non_null(out);
    cli_free(&run);
    return out;
}

static double makespan_s(const char *directory, const char *options)
{
    char *json = simulated(directory, options);
    const double seconds = cli_number_after(json, "\"makespan_s\": ", NULL);
    const double workers = cli_number_after(json, "\"workers\": ", NULL);
    assert_true(cli_number_after(json, "\"task_s\": ", NULL) / workers <= seconds * (1 + 1e-9)); /* the area bound */
    free(json);
    return seconds;
}

/* Of the reconstruction alone. */
static double part_s(const char *json)
{
    return cli_number_after(json, "\"makespan_s\": ", NULL) - cli_number_after(json, "\"building_s\": ", NULL);
}

static void no_simulator(void **state)
{
    CliRun run = {.directory = *state, .environment = "SINODAG_SIMULATOR=/nonexistent/sinodag"};
    cli_start(&run, "simulate " SIZES);
    cli_wait(&run);
    cli_assert_ended(&run, 2,
                     "SINODAG_SIMULATOR is '/nonexistent/sinodag', which cannot be started: No such file or directory; "
                     "`./run simulator` builds a simulator");
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
        char *json = simulated(*state, "--columns 64 --angles 48 --slices 64 --iterations 2 --algorithm cg --machine "
                                       "files.yaml --projector rays --json");
        building_s[slow] = cli_number_after(json, "\"building_s\": ", NULL);
        load_s[slow] = cli_number_after(json, "\"name\": \"load\", \"on\": \"cpu\", \"count\": 1, \"seconds\": ", NULL);
        free(json);
    }
    assert_true(load_s[0] < 0.5 * building_s[0] && load_s[1] > 2 * building_s[0]);
    assert_true(building_s[1] >= load_s[1] && building_s[1] < load_s[1] + 0.5 * building_s[0]);
}

/* The number of tasks of a kind on cores, in the first list of kinds that has it. */
static int64_t count_of(const char *json, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, "\"name\": \"%s\", \"on\": \"cpu\", \"count\": ", name);
    return strstr(json, text) ? (int64_t)cli_number_after(json, text, NULL) : 0;
}

/* The profile of a run that computes with these options, and what simulate says of the same; the caller frees both. */
static void run_and_simulate(const char *at, const char *options, char **real, char **json)
{
    enum { PROFILE_BYTES = 1 << 20 };
    char line[256];
    cli_works(at, "recon scan.h5 -o v.h5 --overwrite --rotation-axis 31.5 --profile=real.json %s", options);
    snprintf(line, sizeof line, "scan.h5 --json %s", options);
    *json = simulated(at, line);
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
        const int64_t count = count_of(real, *kind);
        if (count != count_of(json, *kind) || count == 0)
            fail_msg("%s: %d tasks in the run, %d simulated", *kind, (int)count, (int)count_of(json, *kind));
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

/* Turning slices for each product takes longer than reading lengths, by what samples cost: cubic more than nearest. */
static void turned_slices_cost_samples(void **state)
{
    const char *const at = *state;
    (void)cli_simulator();
    const double rays = makespan_s(at, SIZES "--machine usual --device cpu --projector rays --json");
    const double nearest =
        makespan_s(at, SIZES "--machine usual --device cpu --projector rotate --interpolation nearest --json");
    const double cubic =
        makespan_s(at, SIZES "--machine usual --device cpu --projector rotate --interpolation cubic --json");
    assert_true(rays < nearest && 2 * nearest < cubic);
    char *json = simulated(at, SIZES "--machine mirage --projector rotate --json");
    assert_non_null(strstr(json, "\"name\": \"rotate_project\", \"on\": \"cuda\""));
    free(json);
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
    json = simulated(at, line);
    assert_true(cli_number_after(json, "\"between_s\": ", NULL) == 0);
    free(json);
}

/* Stages take what they compute, not only their bytes. */
static void stages_cost_what_they_compute(void **state)
{
    static const char *const method[] = {"ti", "sorting", "vo-all"};
    double seconds[3];
    char line[256];
    (void)cli_simulator();
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line,
                 SIZES "--machine usual --zinger-removal-method standard --remove-stripe-method %s --json", method[i]);
        char *json = simulated(*state, line);
        assert_true(count_of(json, "stripes") > 0 && count_of(json, "zingers") == count_of(json, "stripes"));
        const char *const stripes = strstr(json, "\"name\": \"stripes\"");
        seconds[i] = cli_number_after(stripes, "\"seconds\": ", NULL);
        free(json);
    }
    assert_true(1.5 * seconds[0] < seconds[1] && 2 * seconds[1] < seconds[2]);
}

/* graph_test gives no task to a worker before it is told that all have been submitted. */
static void a_policy_that_waits_for_all_tasks(void **state)
{
    (void)cli_simulator();
    const double all_s = makespan_s(*state, SIZES "--minibatch 4 --scheduler graph_test --machine usual --json");
    const double prio_s = makespan_s(*state, SIZES "--minibatch 4 --scheduler prio --machine usual --json");
    assert_true(all_s < 2 * prio_s);
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
        const double seconds = makespan_s(*state, line);
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
        char *json = simulated(*state, line);
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
    char *json = simulated(at, line);
    assert_non_null(strstr(json, "\"name\": \"spmm_project\", \"on\": \"opencl\""));
    assert_null(strstr(json, "\"on\": \"cuda\""));
    assert_int_equal(count_of(json, "spmm_project"), 0);
    assert_true(count_of(json, "correct") > 0 && count_of(json, "assemble") > 0);
    free(json);
    snprintf(line, sizeof line, "%s cpu", words);
    json = simulated(at, line);
    assert_null(strstr(json, "\"on\": \"opencl\""));
    free(json);
    cli_refuses(at, "device is 'cuda'; the machine 'ocl.yaml' has OpenCL devices; allowed: cpu, opencl, all",
                "simulate %s cuda", words);
    cli_refuses(at, "device is 'opencl'; the machine 'mirage' has no OpenCL device; allowed: cpu, all",
                "simulate " SIZES "--device opencl --machine mirage");
}

/* Homes on nodes of GPUs, where each of StarPU's policies took at least 1.2 times as long (docs/SCHEDULING.md):
 * products run there and nowhere else. */
static void homes_are_faster(void **state)
{
    static const char *const machine[] = {"mirage", "sirocco", "h100x8"};
    static const char *const policy[] = {"dmdas", "dmda", "dmdar", "dmdasd", "pheft", "eager"};
    const char *const words =
        "--columns 256 --angles 400 --slices 256 --algorithm cg --iterations 10 --partitions 4 --json --machine";
    (void)cli_simulator();
    for (int m = 0; m < 3; m++) {
        char line[256];
        snprintf(line, sizeof line, "%s %s --scheduler sino-affinity", words, machine[m]);
        char *json = simulated(*state, line);
        const double ours = part_s(json);
        assert_int_equal(count_of(json, "spmm_project") + count_of(json, "spmm_backproject"), 0);
        free(json);
        for (size_t p = 0; p < sizeof policy / sizeof *policy; p++) {
            snprintf(line, sizeof line, "%s %s --scheduler %s", words, machine[m], policy[p]);
            json = simulated(*state, line);
            if (!(1.2 * ours < part_s(json))) fail_msg("%s: %g s, %s: %g s", machine[m], ours, policy[p], part_s(json));
            free(json);
        }
    }
}

/* Slow devices get nothing. */
static void slow_devices_get_no_products(void **state)
{
    (void)cli_simulator();
    cli_write_text(*state, "slow.yaml", "like: mirage\ndevice-gflops: 10\n");
    char *json =
        simulated(*state, "--columns 128 --angles 96 --slices 16 --algorithm cg --iterations 2 --partitions 4 --json "
                          "--machine slow.yaml --scheduler sino-affinity");
    assert_int_equal(count_of(json, "spmm_project"), 4 * 2 * 1);
    free(json);
}

/* Everything but the time of the simulation itself; the caller frees it. */
static char *repeatable_part(const char *directory)
{
    char *json = simulated(directory, SIZES "--machine mirage --device cuda --scheduler dmdas --json");
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
    free(first);
    free(second);
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
        char *out = simulated(*state, line);
        assert_non_null(strstr(out, "makespan"));
        free(out);
    }
    for (const char *const *word = (const char *const[]){"double", "half", "mixed", NULL}; *word; word++) {
        char line[256];
        snprintf(line, sizeof line, SIZES "--machine sirocco --precision %s --json", *word);
        assert_true(makespan_s(*state, line) > 0);
    }
}

/* Trace and profile have virtual times: as long as the makespan, not as the run. */
static void trace_and_profile(void **state)
{
    (void)cli_simulator();
    char *json = simulated(*state, SIZES "--machine mirage --trace trace.json --profile=profile.json --json");
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
    snprintf(line, sizeof line, SIZES "--machine h100x1 --device cpu --scheduler %s/policy_longest.so:longest", object);
    char *out = simulated(*state, line);
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
    snprintf(message, sizeof message,
             "scheduler: %s was compiled for a StarPU that does not simulate; needed: the flags of "
             ".simulator/lib/pkgconfig (docs/SCHEDULING.md)",
             object);
    cli_refuses(*state, message, "simulate " SIZES "--scheduler %s:longest", object);
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
    cli_refuses(at, "workers is 99; allowed: 1 to 9, the cores of the machine 'mirage'",
                "simulate " SIZES "--machine mirage --workers 99");
    cli_refuses(at, "--geometry is 'cone'; allowed: parallel", "simulate " SIZES "--geometry cone");
    cli_refuses(at, "--projector is pixels where devices compute; allowed: --device cpu, or --projector rays or rotate",
                "simulate --columns 64 --angles 48 --slices 16 --algorithm fbp --machine mirage --projector pixels");
    cli_refuses(at, "device is 'cuda'; StarPU finds no CUDA device here; allowed: cpu",
                "simulate " SIZES "--device cuda --machine usual");
    CliRun run = {.directory = at};
    cli_start(&run, "simulate " SIZES "--machine nowhere");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "--machine is 'nowhere'; allowed: "));
    cli_free(&run);
    CliRun policy = {.directory = at};
    cli_start(&policy, "simulate " SIZES "--scheduler best");
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
    cli_refuses(*state, "this program simulates, and computes nothing; allowed: simulate, plan, info",
                "phantom -o scan.h5 --size 16 --angles 8 --slices 1");
    cli_works(*state, "plan " SIZES);
    setenv("SINODAG", usual, 1);
}

int cli_simulate_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(no_simulator),
        CLI_TEST(program_answers),
        CLI_TEST(reading_and_building_overlap),
        CLI_TEST(same_graph),
        CLI_TEST(same_graph_without_lengths),
        CLI_TEST(turned_slices_cost_samples),
        CLI_TEST(workers_pause_between_tasks),
        CLI_TEST(a_policy_that_waits_for_all_tasks),
        CLI_TEST(stages_cost_what_they_compute),
        CLI_TEST(more_workers_are_faster),
        CLI_TEST(every_device_has_links),
        CLI_TEST(opencl_devices),
        CLI_TEST(homes_are_faster),
        CLI_TEST(slow_devices_get_no_products),
        CLI_TEST(runs_are_repeatable),
        CLI_TEST(every_algorithm_and_precision),
        CLI_TEST(trace_and_profile),
        CLI_TEST(a_policy_of_a_shared_object),
        CLI_TEST(a_policy_for_the_usual_starpu),
        CLI_TEST(large_scans_take_little_memory),
        CLI_TEST(refusals),
        CLI_TEST(it_computes_nothing),
    };
    return cmocka_run_group_tests_name("cli_simulate", tests, NULL, NULL);
}
