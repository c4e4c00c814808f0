/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate of several ranks: the graphs are those of mpirun, links carry what they can, and what cannot
 * be simulated is refused. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES "--columns 64 --angles 48 --slices 16 --algorithm cg --iterations 3 --projector rays --minibatch 4 "

#define SLICES "scan.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --projector rays --minibatch 4"

static void setup_scan(const char *at)
{
    (void)cli_simulator();
    cli_works(at, "phantom -o scan.h5 --size 64 --angles 48 --slices 16");
}

static char *read_text(const char *at, const char *name)
{
    const int64_t bytes = cli_file_size(at, name);
    char *read = cli_read_bytes(at, name, (size_t)bytes), *text = calloc(1, (size_t)bytes + 1);
    assert_non_null(text);
    memcpy(text, read, (size_t)bytes);
    free(read);
    return text;
}

/* Where a rank begins in a list of ranks. */
static const char *rank_of(const char *json, int rank)
{
    char text[32];
    snprintf(text, sizeof text, "{\"rank\": %d,", rank);
    const char *at = strstr(json, text);
    if (!at) fail_msg("no rank %d in %.200s", rank, json);
    return at;
}

/* Number and bytes of a rank's messages of this name in a profile. */
static void messages_of(const char *profile, int rank, const char *name, int64_t *count, int64_t *bytes)
{
    char text[64];
    const char *const list = strstr(rank_of(profile, rank), "\"messages\": ");
    assert_non_null(list);
    snprintf(text, sizeof text, "{\"name\": \"%s\", \"count\": ", name);
    const char *const found = strstr(list, text), *const end = strstr(list, "]");
    *count = *bytes = 0;
    if (!found || found > end) return;
    *count = (int64_t)cli_number_after(found, "\"count\": ", NULL);
    *bytes = (int64_t)cli_number_after(found, "\"bytes\": ", NULL);
}

/* The number of tasks of a kind in a rank's whole run. */
static int64_t count_of(const char *profile, int rank, const char *name)
{
    char text[80];
    const char *const part = strstr(rank_of(profile, rank), "\"name\": \"run\"");
    assert_non_null(part);
    const char *const end = strstr(part, "\"name\": \"building\"");
    snprintf(text, sizeof text, "\"name\": \"%s\", \"on\": \"cpu\", \"count\": ", name);
    const char *const found = strstr(part, text);
    return found && (!end || found < end) ? (int64_t)cli_number_after(found, text, NULL) : 0;
}

static const char *const task_kind[] = {"trace",
                                        "mark",
                                        "pack",
                                        "checksum",
                                        "load",
                                        "correct",
                                        "sample",
                                        "update_start",
                                        "update_sums",
                                        "spmm_project",
                                        "reduce_node",
                                        "reduce_global",
                                        "spread_node",
                                        "spread_global",
                                        "reduce_socket",
                                        "spread_socket",
                                        "update_collect",
                                        "update_step",
                                        "update_record",
                                        "assemble",
                                        "spmm_backproject",
                                        "update_voxels_cg",
                                        "update_residual_cg",
                                        "update_direction",
                                        "store",
                                        "assemble_cone",
                                        "bricks_backproject",
                                        "bricks_sums",
                                        "bricks_sweep",
                                        "columns",
                                        "count",
                                        "gather_values",
                                        "load_counts",
                                        "pack_bricks",
                                        "project_cone",
                                        "project_cone_back",
                                        "rays_begin",
                                        "rays_end",
                                        "repeat",
                                        "update_scale_mlem",
                                        "update_start_mlem",
                                        "update_total_mlem",
                                        "update_voxels_mlem",
                                        "voxels_add",
                                        "voxels_cut",
                                        "voxels_image",
                                        "voxels_mask",
                                        "voxels_paste",
                                        "weights_ones",
                                        "weights_reciprocal"};

/* The kinds add up to "tasks", so that none is forgotten. */
static void assert_same_rank(const char *real, const char *virtual, int rank)
{
    static const char *const message[] = {"sums", "rays", "partial", "active", "tomogram", "voxels"};
    int64_t all = 0;
    for (size_t i = 0; i < sizeof task_kind / sizeof *task_kind; i++) {
        const int64_t count = count_of(real, rank, task_kind[i]), other = count_of(virtual, rank, task_kind[i]);
        if (count != other)
            fail_msg("rank %d: %d tasks %s in the run, %d simulated", rank, (int)count, task_kind[i], (int)other);
        all += count;
    }
    assert_int_equal(
        (int64_t)cli_number_after(strstr(rank_of(virtual, rank), "\"name\": \"run\""), "\"tasks\": ", NULL), all);
    for (size_t i = 0; i < sizeof message / sizeof *message; i++) {
        int64_t count, bytes, other, other_bytes;
        messages_of(real, rank, message[i], &count, &bytes);
        messages_of(virtual, rank, message[i], &other, &other_bytes);
        if (count != other || bytes != other_bytes)
            fail_msg("rank %d: %d messages %s of %d bytes in the run, %d of %d simulated", rank, (int)count, message[i],
                     (int)bytes, (int)other, (int)other_bytes);
    }
}

/* As many tasks of each kind on each rank, and messages of as many bytes, as under mpirun. */
static void same_graph(void **state)
{
    static const struct {
        int ranks;
        const char *input, *options;
    } way[] = {{2, SLICES, "--grid 1x2"},
               {2, SLICES, "--grid 1x2 --topology nodes=4,workers=2 --node-weights 1,3"},
               {4, SLICES, "--grid 2x2"},
               {4, SLICES, "--grid 4x1 --topology workers=2"},
               {4, SLICES, "--grid 1x4 --communication direct --overlap no"},
               {3, SLICES, "--grid 1x2"},
               {2, "cone.h5 --geometry cone --rotation-axis 11.5", "--algorithm cg --iterations 2"},
               {2, "m.counts --system-matrix m.csr4", "--algorithm osem --iterations 2 --node-weights 1,3"}};
    const char *const at = *state;
    setup_scan(at);
    cli_works(at, "phantom -o cone.h5 --geometry cone --size 24 --angles 36 --slices 16");
    cli_works(at, "phantom -o m.csr4 --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char launcher[32], line[400];
        snprintf(launcher, sizeof launcher, "mpirun -q -n %d", way[i].ranks);
        CliRun run = {.directory = at, .launcher = launcher};
        cli_start(&run, "recon %s -o v.h5 --overwrite --workers 1 --profile=real.json %s", way[i].input,
                  way[i].options);
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", way[i].options, run.exit_code, run.err);
        cli_free(&run);
        snprintf(line, sizeof line, "%s --workers 1 --overwrite --profile=virtual.json --ranks %d %s", way[i].input,
                 way[i].ranks, way[i].options);
        free(cli_simulated(at, line));
        char *real = read_text(at, "real.json"), *virtual = read_text(at, "virtual.json");
        for (int rank = 0; rank < way[i].ranks; rank++) assert_same_rank(real, virtual, rank);
        free(real);
        free(virtual);
    }
}

/* A node's link carries all bytes that its ranks send to others, one after another. */
static void links_carry_what_they_can(void **state)
{
    const char *const at = *state;
    const double slow = 0.002e9, latency_s = 100e-6; /* as in the file */
    (void)cli_simulator();
    cli_write_text(at, "slow.yaml",
                   "name: slow\nnodes: 4\ncores: 4\nmemory: 16 GiB\ncore-gflops: 60\n"
                   "core-bandwidth: 10\nlink-bandwidth: 0.002\nlink-latency: 100\n");
    char *json = cli_simulated(at, SIZES "--machine slow.yaml --grid 1x4 --json");
    const double makespan_s = cli_number_after(json, "\"makespan_s\": ", NULL);
    const char *ranks = strstr(json, "\"ranks\": [");
    assert_non_null(ranks);
    double most_s = 0;
    for (int rank = 0; rank < 4; rank++) {
        const char *const messages = strstr(rank_of(ranks, rank), "\"messages\": ");
        const double count = cli_number_after(messages, "\"count\": ", NULL);
        const double bytes = cli_number_after(messages, "\"bytes\": ", NULL);
        const double seconds = cli_number_after(messages, "\"seconds\": ", NULL);
        assert_true(bytes > 0 && makespan_s >= bytes / slow);
        assert_true(seconds >= bytes / slow + count * latency_s);
        if (bytes / slow > most_s) most_s = bytes / slow;
    }
    free(json);
    /* Two ranks of a node exchange in its memory; they also share its four cores. */
    json = cli_simulated(at, SIZES "--machine slow.yaml --ranks 4 --ranks-per-node 4 --grid 1x4 --json");
    assert_true(cli_number_after(json, "\"makespan_s\": ", NULL) < most_s);
    assert_int_equal((int)cli_number_after(json, "\"workers\": ", NULL), 4);
    free(json);
}

/* How many mappings of code a process has that come from the object of ranks itself. */
static int code_mappings(pid_t process)
{
    char name[64], line[1024];
    int count = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(name, "r");
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, " r-xp ") && strstr(line, "/sinodag_rank.so\n");
    if (maps) fclose(maps);
    return count;
}

/* Each rank is a copy of the program, but not of its code, which takes most of the copy's memory. */
static void code_is_shared(void **state)
{
    (void)cli_simulator();
    CliRun run = {.directory = *state};
    cli_start(&run, "simulate " SIZES "--ranks 4");
    int most = 0;
    for (int milliseconds = 0; most < 4 && milliseconds < 60000; milliseconds++) {
        const int count = code_mappings(run.pid);
        if (count > most) most = count;
        usleep(1000);
    }
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
    assert_int_equal(most, 4);
}

/* Footprints and maps are the same on all ranks; with a copy for each, the run takes twice the memory. */
static void lists_are_shared(void **state)
{
    (void)cli_simulator();
    CliRun run = {.directory = *state, .environment = "MALLOC_PERTURB_=0"};
    cli_start(&run, "simulate --columns 1024 --angles 1024 --slices 16 --algorithm cg --iterations 1 --minibatch 2 "
                    "--partitions 4 --topology sockets=2 --machine h100x1 --ranks 8");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    if (run.peak_bytes > (int64_t)480 << 20) fail_msg("%.3g bytes of memory", (double)run.peak_bytes);
    cli_free(&run);
}

/* Everything but the time of the simulation itself; the caller frees it. */
static char *repeatable_part(const char *at)
{
    char *json = cli_simulated(at, SIZES "--machine mirage --ranks 2 --grid 1x2 --device cuda --json");
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
    for (const char *const *word = (const char *const[]){"sirt", "fbp", "mlem", "osem", NULL}; *word; word++) {
        char line[256];
        snprintf(line, sizeof line,
                 "--columns 64 --angles 48 --slices 8 --projector rays --ranks 2 --grid 1x2 --algorithm %s%s", *word,
                 strcmp(*word, "fbp") == 0 ? "" : " --iterations 2");
        free(cli_simulated(*state, line));
    }
    for (const char *const *word = (const char *const[]){"double", "half", "mixed", NULL}; *word; word++) {
        char line[256];
        snprintf(line, sizeof line, SIZES "--machine sirocco --ranks 2 --grid 1x2 --precision %s", *word);
        free(cli_simulated(*state, line));
    }
}

/* Ranks that share slices add up voxels when no lengths are stored. */
static void turned_slices(void **state)
{
    (void)cli_simulator();
    char *out = cli_simulated(
        *state,
        "--columns 64 --angles 48 --slices 16 --ranks 2 --algorithm cg --iterations 2 --grid 1x2 --projector rotate");
    assert_non_null(strstr(out, "\n  rotate_project "));
    assert_non_null(strstr(out, "\n  rotate_back "));
    assert_true(cli_number_after(out, "\nmessages", NULL) > 0);
    free(out);
}

/* A file for all ranks, in virtual time. */
static void trace_and_profile(void **state)
{
    const char *const at = *state;
    (void)cli_simulator();
    char *out = cli_simulated(at, SIZES "--ranks 2 --grid 1x2 --trace trace.json --profile=profile.json");
    assert_non_null(strstr(out, "2 ranks"));
    free(out);
    char *profile = read_text(at, "profile.json"), *trace = read_text(at, "trace.json");
    assert_non_null(strstr(profile, "\"complete\": true"));
    (void)rank_of(profile, 1);
    assert_non_null(strstr(trace, "\"pid\":1"));
    free(profile);
    free(trace);
}

static void refusals(void **state)
{
    const char *const at = *state;
    char message[2 * TESTING_PATH];
    (void)cli_simulator();
    cli_write_text(at, "two.yaml", "like: mirage\nnodes: 2\n");
    cli_refuses(at, "--ranks | 3 | 1 to 2 | 1 ranks", "simulate " SIZES "--machine two.yaml --ranks 3");
    cli_refuses(at, "--ranks-per-node | 10 | 1 to 9 | 'mirage'",
                "simulate " SIZES "--machine mirage --ranks-per-node 10");
    cli_refuses(at, "--ranks-per-node | 2 | 3 | --device cpu", "simulate " SIZES "--machine mirage --ranks-per-node 2");
    cli_refuses(at, "workers | 4 | 1 to 3 | 'mirage'",
                "simulate " SIZES "--machine mirage --ranks-per-node 3 --workers 4");
    cli_refuses(at, "--grid | 1x3 | 3 ranks | 2", "simulate " SIZES "--ranks 2 --grid 1x3");
    snprintf(message, sizeof message, "scheduler | '%s:longest' | 2 ranks | StarPU's", getenv("SINODAG_POLICY"));
    cli_refuses(at, message, "simulate " SIZES "--ranks 2 --scheduler %s:longest", getenv("SINODAG_POLICY"));
}

/* A simulator without what several ranks need. */
static void no_ranks(void **state)
{
    const char *const at = *state;
    char name[TESTING_PATH], environment[2 * TESTING_PATH];
    snprintf(name, sizeof name, "%s/alone", at);
    assert_int_equal(cli_tool("cp", cli_simulator(), name), 0);
    snprintf(environment, sizeof environment, "SINODAG_SIMULATOR=%s", name);
    CliRun run = {.directory = at, .environment = environment};
    cli_start(&run, "simulate " SIZES "--ranks 2");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "--ranks | 2 | allowed: # | ranks/sinodag-ranks | `./run simulator`");
}

int cli_simulate_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(same_graph),       CLI_TEST(links_carry_what_they_can), CLI_TEST(code_is_shared),
        CLI_TEST(lists_are_shared), CLI_TEST(runs_are_repeatable),       CLI_TEST(every_algorithm_and_precision),
        CLI_TEST(turned_slices),    CLI_TEST(trace_and_profile),         CLI_TEST(refusals),
        CLI_TEST(no_ranks),
    };
    return cmocka_run_group_tests_name("cli_simulate_ranks", tests, NULL, NULL);
}
