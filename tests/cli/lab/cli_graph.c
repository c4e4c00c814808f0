/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, graph: the task graph, the profile, schedulers, and the log in JSON. */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 4096, NAME_MAX_BYTES = 32 };

typedef struct Graph {
    char name[TASKS_MAX][NAME_MAX_BYTES]; /* "": no such node */
    int task_count;
    bool joined[40][40];   /* an edge from a task of the one name to one of the other, by place in `kinds` */
    const char *kinds[40]; /* not owned */
    int kind_count;
} Graph;

static int kind_of(Graph *graph, const char *name)
{
    for (int i = 0; i < graph->kind_count; i++)
        if (strcmp(graph->kinds[i], name) == 0) return i;
    assert_true(graph->kind_count < 40);
    graph->kinds[graph->kind_count] = name;
    return graph->kind_count++;
}

static int task_after(const char *text, const char *before, const char **rest)
{
    const double number = cli_number_after(text, before, rest);
    assert_in_range((int64_t)number, 0, TASKS_MAX - 1);
    return (int)number;
}

/* '    t7 [fillcolor=3, label="load\nslab 0"]' */
static void take_node(Graph *graph, const char *line)
{
    const char *rest;
    const int number = task_after(line, "    t", &rest);
    assert_in_range((int64_t)cli_number_after(rest, " [fillcolor=", &rest), 1, 12);
    assert_memory_equal(rest, ", label=\"", 9);
    rest += 9;
    const int length = (int)strspn(rest, "abcdefghijklmnopqrstuvwxyz_");
    assert_in_range(length, 1, NAME_MAX_BYTES - 1);
    assert_string_equal(graph->name[number], ""); /* once */
    snprintf(graph->name[number], NAME_MAX_BYTES, "%.*s", length, rest);
    rest += length;
    while (strncmp(rest, "\\n", 2) == 0) rest += 2 + strcspn(rest + 2, "\\\"");
    assert_string_equal(rest, "\"]");
    graph->task_count++;
}

/* '    t3 -> t7 [label="io"]'. Edges that lead to higher numbers only make no cycle. */
static void take_edge(Graph *graph, const char *line)
{
    const char *rest;
    const int from = task_after(line, "    t", &rest), to = task_after(rest, " -> t", &rest);
    assert_memory_equal(rest, " [label=\"", 9);
    rest += 9;
    const size_t length = strspn(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ");
    assert_true(length > 0);
    assert_string_equal(rest + length, "\"]");
    assert_true(from < to && graph->name[from][0] && graph->name[to][0]);
    graph->joined[kind_of(graph, graph->name[from])][kind_of(graph, graph->name[to])] = true;
}

static Graph *read_graph(const char *directory, const char *name)
{
    char path[TESTING_PATH], line[400];
    bool closed = false;
    Graph *graph = calloc(1, sizeof *graph);
    assert_non_null(graph);
    FILE *file = fopen(testing_path(path, directory, name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "digraph sinodag {\n");
    while (fgets(line, sizeof line, file)) {
        assert_false(closed);
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, " -> "))
            take_edge(graph, line);
        else if (strncmp(line, "    t", 5) == 0)
            take_node(graph, line);
        else
            closed = strcmp(line, "}") == 0;
    }
    assert_true(closed);
    assert_int_equal(fclose(file), 0);
    return graph;
}

static int count(const Graph *graph, const char *name)
{
    int found = 0;
    for (int i = 0; i < TASKS_MAX; i++) found += strcmp(graph->name[i], name) == 0;
    return found;
}

static void assert_joined(Graph *graph, const char *from, const char *to)
{
    if (!graph->joined[kind_of(graph, from)][kind_of(graph, to)]) fail_msg("no %s leads to any %s", from, to);
}

/* Every name of the graph is in `names`, which are all in the graph. */
static void assert_kinds(const Graph *graph, const char *names)
{
    char *copy = strdup(names), *rest = copy;
    int found = 0;
    for (char *name; (name = strsep(&rest, " "));) {
        if (count(graph, name) == 0) fail_msg("no task is called %s", name);
        found += count(graph, name);
    }
    assert_int_equal(found, graph->task_count);
    free(copy);
}

/* Graphviz reads it, where there is Graphviz. */
static void assert_dot_reads(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    const int result = cli_tool("nop", "-p", testing_path(path, directory, name));
    if (result == 127)
        print_message("the graph was not read by Graphviz, which is not installed\n");
    else
        assert_int_equal(result, 0);
}

static void cg_graph(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 8");
    cli_works(*state,
              "recon scan.h5 -o out.h5 --rotation-axis 31.5 --algorithm cg --iterations 3 --partitions 2 --minibatch 2 "
              "--memory 2GiB --graph out.dot");
    Graph *graph = read_graph(*state, "out.dot");
    assert_dot_reads(*state, "out.dot");
    assert_kinds(graph, "trace pack checksum load correct sample update_sums update_start spmm_project reduce_node "
                        "update_step update_residual_cg update_record spmm_backproject update_collect update_direction "
                        "update_voxels_cg assemble store");
    assert_int_equal(count(graph, "store"), 4);
    assert_int_equal(count(graph, "correct"), 4);
    assert_int_equal(count(graph, "sample"), 1);
    assert_int_equal(count(graph, "update_residual_cg"), 4 * 3);
    assert_int_equal(count(graph, "spmm_project"), 4 * 3 * 2);
    assert_int_equal(count(graph, "spmm_backproject"), 4 * (3 + 1) * 2);
    static const char *const chain[] = {"load",           "correct",          "spmm_backproject", "update_sums",
                                        "update_collect", "update_direction", "update_voxels_cg", "spmm_project",
                                        "reduce_node",    "update_sums",      "update_step",      "update_residual_cg",
                                        "update_record"};
    for (size_t i = 0; i + 1 < sizeof chain / sizeof *chain; i++) assert_joined(graph, chain[i], chain[i + 1]);
    assert_joined(graph, "correct", "update_sums");
    assert_joined(graph, "update_sums", "update_start");
    assert_joined(graph, "update_start", "update_direction");
    assert_joined(graph, "update_residual_cg", "spmm_backproject");
    assert_joined(graph, "update_voxels_cg", "assemble");
    assert_joined(graph, "assemble", "store");
    free(graph);
}

/* Two partitions share a minibatch: so do tasks that add up and update its rays. */
static void shared_graph(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 128 --angles 120 --slices 16");
    cli_works(
        *state,
        "recon scan.h5 -o out.h5 --rotation-axis 63.5 --algorithm cg --iterations 2 --partitions 2 --minibatch 16 "
        "--workers 2 --graph shared.dot");
    Graph *graph = read_graph(*state, "shared.dot");
    assert_int_equal(count(graph, "reduce_node"), 2 * 2);
    assert_int_equal(count(graph, "update_residual_cg"), 2 * 2);
    assert_int_equal(count(graph, "spread_node"), 0);
    assert_joined(graph, "spmm_project", "reduce_node");
    assert_joined(graph, "rays_begin", "reduce_node");
    assert_joined(graph, "reduce_node", "rays_end");
    assert_joined(graph, "rays_end", "update_sums");
    assert_joined(graph, "update_residual_cg", "update_collect");
    assert_joined(graph, "rays_end", "spmm_backproject");
    free(graph);
    cli_works(*state,
              "recon scan.h5 -o out.h5 --overwrite --rotation-axis 63.5 --algorithm cg --iterations 2 --partitions 2 "
              "--minibatch 16 --precision mixed --graph mixed.dot");
    graph = read_graph(*state, "mixed.dot");
    assert_int_equal(count(graph, "spread_node"), 2 * 3);
    assert_joined(graph, "rays_end", "spread_node");
    free(graph);
}

/* Lines of JSON that begin so. */
static int count_lines(const char *directory, const char *name, const char *begin)
{
    const size_t size = (size_t)cli_file_size(directory, name);
    char *bytes = cli_read_bytes(directory, name, size), *text = strndup(bytes, size), *rest = text;
    int found = 0;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        assert_true(line[0] == '{' && line[strlen(line) - 1] == '}');
        found += strncmp(line, begin, strlen(begin)) == 0;
    }
    free(bytes);
    free(text);
    return found;
}

static void other_graphs(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 4");
    cli_works(*state, "recon scan.h5 -o out.h5 --partitions 1 --iterations 2 --algorithm sirt --graph sirt.dot");
    Graph *graph = read_graph(*state, "sirt.dot");
    assert_joined(graph, "update_residual_sirt", "spmm_backproject");
    assert_joined(graph, "spmm_backproject", "update_voxels_sirt");
    assert_joined(graph, "update_voxels_sirt", "spmm_project");
    assert_true(count(graph, "center") > 0);
    assert_int_equal(count(graph, "reduce_node"), 0);
    free(graph);
    cli_works(*state, "recon scan.h5 -o out.h5 --overwrite --rotation-axis 31 --algorithm fbp --partitions 1 "
                      "--graph fbp.dot");
    graph = read_graph(*state, "fbp.dot");
    assert_joined(graph, "update_sums", "update_start");
    assert_joined(graph, "filter", "spmm_backproject");
    cli_works(*state, "recon scan.h5 -o out.h5 --overwrite --rotation-axis 31 --algorithm fbp --partitions 1 "
                      "--graph fbp.jsonl");
    assert_int_equal(count_lines(*state, "fbp.jsonl", "{\"schema\":\"sinodag-graph\",\"schema_version\":1,"), 1);
    assert_int_equal(count_lines(*state, "fbp.jsonl", "{\"task\":"), graph->task_count);
    assert_true(count_lines(*state, "fbp.jsonl", "{\"data\":") > 0);
    free(graph);
    cli_works(*state, "recon scan.h5 -o try --reconstruction-type try --center-search-width 0.5 --rotation-axis 31 "
                      "--algorithm cg --iterations 2 --graph try.dot");
    graph = read_graph(*state, "try.dot");
    assert_int_equal(count(graph, "store"), 3);
    free(graph);
}

static void profile(void **state)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 4");
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 31 --algorithm cg --iterations 7 --partitions 1 --profile "
                    "--workers 1");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const char *rest;
    assert_true(cli_number_after(run.err, "sinodag: spmm_project ", &rest) == 7);
    assert_true(cli_number_after(rest, " tasks ", NULL) > 0);
    const double share = cli_number_after(run.err, "sinodag: inside tasks: ", &rest);
    const double seconds = cli_number_after(rest, " % of ", &rest);
    if (!(share > 0 && share <= 100 && seconds > 0 && seconds < run.elapsed_s))
        fail_msg("%g %% of %g s, of a run of %g s\n%s", share, seconds, run.elapsed_s, run.err);
    assert_memory_equal(rest, " s on 1 workers, policy lws\n", 28);
    const double runs = cli_number_after(run.err, "sinodag: building: trace ", &rest);
    const double building = cli_number_after(rest, "sinodag: building: inside tasks: ", &rest);
    assert_true(runs >= 1 && runs <= 8 && building > 0 && building <= 100);
    cli_free(&run);
}

/* The checksum of the file begins before the part that is measured, and takes longer than a slice. */
static void profile_of_a_task_that_began_before(void **state)
{
    CliScan scan = cli_scan;
    scan.rows = 4000;
    scan.columns = 256;
    cli_write_scan(*state, "scan.h5", &scan);
    for (int i = 0; i < 4; i++) {
        CliRun run = {.directory = *state};
        cli_start(&run,
                  "recon scan.h5 -o out.h5 --overwrite --rotation-axis 127.5 --algorithm fbp --start-row 7 --end-row 8 "
                  "--profile --workers 1 --pictures no --report none");
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        const double share = cli_number_after(run.err, "sinodag: inside tasks: ", NULL);
        if (!(share > 0 && share <= 100)) fail_msg("%g %%\n%s", share, run.err);
        cli_free(&run);
    }
}

static void schedulers(void **state)
{
    const char *const name[] = {"eager", "dmda", "lws", "prio"};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 4");
    for (int i = 0; i < 4; i++) {
        char environment[40], expected[40];
        snprintf(environment, sizeof environment, "STARPU_SCHED=%s", name[i]);
        snprintf(expected, sizeof expected, " (%s)\n", name[i]);
        CliRun run = {.directory = *state, .environment = environment};
        cli_start(&run,
                  "recon scan.h5 -o out.h5 --rotation-axis 31 --algorithm cg --iterations 3 --overwrite --profile");
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_non_null(strstr(run.err, expected));
        cli_free(&run);
        run.environment = "STARPU_SCHED=ws"; /* the option wins */
        cli_start(&run,
                  "recon scan.h5 -o out.h5 --rotation-axis 31 --algorithm cg --iterations 3 --overwrite --profile "
                  "--scheduler %s",
                  name[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_non_null(strstr(run.err, expected));
        cli_free(&run);
    }
    CliRun run = {.directory = *state, .environment = "STARPU_NCPU=1"};
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 31 --algorithm cg --iterations 3 --overwrite");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, " on 1 cores, "));
    cli_free(&run);
}

/* JSON by its grammar (RFC 8259), enough for one value: where it ends, or NULL. */
static const char *json_value(const char *text);

static const char *json_text(const char *text)
{
    if (*text++ != '"') return NULL;
    for (; *text != '"'; text++) {
        if ((unsigned char)*text < 0x20) return NULL;
        if (*text != '\\') continue;
        if (!*++text || !strchr("\"\\/bfnrtu", *text)) return NULL;
        for (int i = 0; *text == 'u' && i < 4; i++)
            if (!isxdigit((unsigned char)text[i + 1])) return NULL;
    }
    return text + 1;
}

static const char *json_object(const char *text)
{
    do {
        text = json_text(text + 1);
        if (!text || *text++ != ':') return NULL;
        text = json_value(text);
    } while (text && *text == ',');
    return text && *text == '}' ? text + 1 : NULL;
}

static const char *json_value(const char *text)
{
    char *end;
    if (*text == '"') return json_text(text);
    if (*text == '{') return json_object(text);
    if (strncmp(text, "null", 4) == 0) return text + 4;
    if (*text != '-' && !isdigit((unsigned char)*text)) return NULL;
    (void)strtod(text, &end);
    return end;
}

static void assert_json(const char *text, const char *last_event)
{
    char *copy = strdup(text), *rest = copy, last[400] = "";
    assert_int_equal(text[strlen(text) - 1], '\n');
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        const char *end = json_value(line);
        if (line[0] != '{' || !end || *end) fail_msg("no JSON object: %s", line);
        assert_non_null(strstr(line, "\"time\":"));
        assert_non_null(strstr(line, "\"level\":\""));
        assert_non_null(strstr(line, "\"message\":\""));
        snprintf(last, sizeof last, "%s", line);
    }
    assert_non_null(strstr(last, last_event));
    free(copy);
}

static void json_log(void **state)
{
    CliRun run = {.directory = *state};
    cli_works(*state, "phantom -o scan\"\\.h5 --size 64 --angles 60 --slices 4 --log json");
    cli_start(&run, "recon scan\"\\.h5 -o out.h5 --algorithm cg --iterations 4 --minibatch 2 --log json --profile");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_json(run.err, "\"event\":\"output\"");
    assert_non_null(strstr(run.err, "\"event\":\"progress\""));
    assert_non_null(strstr(run.err, "\"event\":\"center\""));
    assert_non_null(strstr(run.err, "\"event\":\"plan\""));
    assert_non_null(strstr(run.err, "\"event\":\"profile\""));
    cli_free(&run);
    cli_start(&run, "recon scan\"\\.h5 -o out.h5 --log json");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_json(run.err,
                "\"level\":\"error\",\"event\":\"error\",\"message\":\"out.h5 exists; --overwrite replaces it\"");
    cli_free(&run);
}

/* The words that a run of `arguments` logs. */
static void assert_logs(const char *directory, const char *arguments, const char *words, bool expected)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s", arguments);
    cli_wait(&run);
    if (run.exit_code != 0 || (strstr(run.err, words) != NULL) != expected)
        fail_msg("%s: exit code %d, \"%s\" %s in:\n%s", arguments, run.exit_code, words, expected ? "is not" : "is",
                 run.err);
    cli_free(&run);
}

/* Angles cut to 0.005 degrees lose their mirror images; evenly spaced they have them, and the volume is nearly that of
 * the angles as they are. */
static void rounded_angles_follow_from_each_other(void **state)
{
    enum { ANGLES = 44, SIZE = 16, SLICES = 4 };
    static const char taken[] = "angles are taken as evenly spaced", stored[] = "12 of 44 angles stored";
    double theta[ANGLES];
    for (int k = 0; k < ANGLES; k++) theta[k] = floor(180.0 / ANGLES * k / 0.005) * 0.005;
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = ANGLES;
    scan.theta = theta;
    cli_write_scan(*state, "scan.h5", &scan);
    assert_logs(
        *state,
        "recon scan.h5 -o even.h5 --rotation-axis 7.5 --algorithm cg --iterations 3 --pictures no --report none", taken,
        true);
    assert_logs(*state,
                "recon scan.h5 -o even2.h5 --rotation-axis 7.5 --algorithm cg --iterations 3 --pictures no --report "
                "none --profile",
                stored, true);
    assert_logs(*state, "recon scan.h5 -o plain.h5 --rotation-axis 7.5 --algorithm cg --iterations 3 --symmetry no",
                taken, false);
    float *even = cli_read_volume(*state, "even.h5", SLICES, SIZE);
    float *plain = cli_read_volume(*state, "plain.h5", SLICES, SIZE);
    const double difference = cli_difference(SLICES * SIZE * SIZE, even, plain);
    if (!(difference > 0 && difference < 2e-3)) fail_msg("the volumes differ by %g", difference);
    free(even);
    free(plain);
}

/* Without iterations workers have minibatches of their own; with them they share one that fills the registers. */
static void workers_of_filtered_backprojection_share_no_minibatch(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 32 --angles 20 --slices 32");
    assert_logs(
        *state,
        "recon scan.h5 -o a.h5 --rotation-axis 15.5 --workers 2 --algorithm fbp --pictures no --report none --profile",
        "minibatches of 16, partitions: 1,", true);
    assert_logs(*state,
                "recon scan.h5 -o b.h5 --rotation-axis 15.5 --workers 1 --algorithm fbp --minibatch 32 --profile",
                "minibatches of 32, partitions: 1,", true);
}

int cli_graph_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(cg_graph),
        CLI_TEST(shared_graph),
        CLI_TEST(other_graphs),
        CLI_TEST(profile),
        CLI_TEST(profile_of_a_task_that_began_before),
        CLI_TEST(schedulers),
        CLI_TEST(json_log),
        CLI_TEST(rounded_angles_follow_from_each_other),
        CLI_TEST(workers_of_filtered_backprojection_share_no_minibatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
