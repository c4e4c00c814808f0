/* SPDX-License-Identifier: BSD-3-Clause */
/* Task graph: a file of the submitted tasks and the data through which they depend on each other: DOT, or lines of
 * JSON. */
#include "files.h"
#include "memory.h"
#include "runtime_private.h"
#include "text.h"
#include "version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPH_SCHEMA = 1 };

struct SinoTaskGraph {
    SinoOutputFile *output;
    FILE *file;   /* writes to the output */
    bool is_data; /* lines of JSON */
    SinoJson json;
    int64_t data_count; /* pieces of data that the file has */
};

/* ---- lines of JSON ---- */

static void end_line(SinoJson *json)
{
    if (json->depth == 2) sino_json_close_list(json); /* predecessors of a message, of which no more is told */
    if (json->depth == 1) sino_json_close(json);
    json->has_members = false;
}

static void print_link(SinoJson *json, const char *name, const SinoMachineLink *link)
{
    sino_json_open(json, name);
    sino_json_real(json, "bytes_per_s", 1e9 * link->gbps);
    sino_json_real(json, "latency_s", 1e-6 * link->latency_us);
    sino_json_close(json);
}

static void print_machine(SinoJson *json, const SinoMachineFile *machine)
{
    const int64_t devices = starpu_cuda_worker_get_count();
    sino_json_open(json, "machine");
    sino_json_text(json, "name", machine->name);
    sino_json_integer(json, "cores", starpu_cpu_worker_get_count());
    sino_json_integer(json, "devices", devices);
    sino_json_integer(json, "memory_bytes", machine->memory_bytes);
    if (devices > 0) {
        sino_json_integer(json, "device_memory_bytes", machine->device_bytes);
        print_link(json, "host_device", &machine->host_device);
        print_link(json, "device_device", &machine->device_device);
        sino_json_real(json, "host_bytes_per_s", 1e9 * machine->host_gbps);
    }
    sino_json_close(json);
}

static void print_head(SinoJson *json, const char *settings)
{
    const SinoMachineFile *machine = sino_simulation_machine();
    sino_json_open(json, NULL);
    sino_json_text(json, "schema", "sinodag-graph");
    sino_json_integer(json, "schema_version", GRAPH_SCHEMA);
    sino_json_text(json, "sinodag", sino_version_text());
    sino_json_text(json, "settings", settings);
    if (machine) print_machine(json, machine);
    end_line(json);
}

/* A line for data that no task before has used. */
static void print_data(SinoTaskGraph *graph, SinoData *data)
{
    SinoJson *json = &graph->json;
    if (data->number > 0) return;
    data->number = ++graph->data_count;
    sino_json_open(json, NULL);
    sino_json_integer(json, "data", data->number);
    sino_json_text(json, "name", data->name);
    sino_json_integer(json, "bytes", data->bytes);
    end_line(json);
}

static void print_place(SinoJson *json, const char *name, int64_t number)
{
    if (number >= 0) sino_json_integer(json, name, number);
}

static void begin_task(SinoTaskGraph *graph, int64_t number, const char *name, SinoPosition position, int access_count,
                       const SinoAccess *access)
{
    SinoJson *json = &graph->json;
    end_line(json);
    for (int i = 0; i < access_count; i++)
        if (!(access[i].mode & SINO_SCRATCH)) print_data(graph, access[i].data);
    sino_json_open(json, NULL);
    sino_json_integer(json, "task", number);
    sino_json_text(json, "kind", name);
    print_place(json, "slab", position.slab);
    print_place(json, "minibatch", position.minibatch);
    print_place(json, "partition", position.partition);
    print_place(json, "iteration", position.iteration);
    for (SinoAccessMode mode = SINO_READ; mode <= SINO_WRITE; mode = (SinoAccessMode)(mode << 1)) {
        sino_json_open_list(json, mode == SINO_READ ? "reads" : "writes");
        for (int i = 0; i < access_count; i++)
            if (access[i].mode & mode) sino_json_integer(json, NULL, access[i].data->number);
        sino_json_close_list(json);
    }
    sino_json_open_list(json, "after");
}

static void print_time(SinoJson *json, struct starpu_task *task, bool on_device)
{
    SinoSimulatedTime time;
    if (!sino_simulation_time(task, on_device, &time)) return;
    sino_json_real(json, on_device ? "device_s" : "core_s", 1e-6 * time.us);
    sino_json_text(json, on_device ? "device_source" : "core_source", sino_cost_source_name(time.source));
}

void sino_task_graph_submitted(SinoTaskGraph *graph, struct starpu_task *task, int64_t priority)
{
    SinoJson *json = &graph->json;
    if (!graph->is_data) return;
    sino_json_close_list(json);
    sino_json_integer(json, "priority", priority);
    sino_json_real(json, "flops", task->flops);
    print_time(json, task, false);
    print_time(json, task, true);
    end_line(json);
}

/* ---- both ---- */

SinoStatus sino_task_graph_open(const char *path, bool overwrite, SinoTaskGraph **result)
{
    static const char ending[] = ".jsonl";
    const size_t length = strlen(path);
    SinoTaskGraph *graph = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(1, sizeof *graph, "the task graph", &graph));
    SINO_TRY_OR(status, fail, sino_output_open(path, overwrite, &graph->output));
    graph->file = sino_output_stream(graph->output);
    SINO_CHECK_OR(status, fail, graph->file, SINO_FAILED, "no memory for the task graph");
    graph->is_data = length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
    graph->json = (SinoJson){.out = graph->file, .compact = true};
    *result = graph;
    return NULL;
fail:
    sino_task_graph_discard(graph);
    return status;
}

void sino_task_graph_begin(SinoTaskGraph *graph, const char *settings)
{
    if (graph->is_data)
        print_head(&graph->json, settings);
    else
        fprintf(graph->file,
                "digraph sinodag {\n    rankdir=TB\n    node [shape=box, style=filled, colorscheme=set312]\n");
}

/* The colour of a kind of task, 1 … 12 of Graphviz's set312, from the first word of its name, so that related kinds
 * look alike. */
static int color(const char *name)
{
    static const char *const family[] = {"load",   "correct", "reduce", "update", "spmm",     "filter",
                                         "spread", "trace",   "sample", "pack",   "assemble", "store"};
    const int count = sizeof family / sizeof *family, grey = 9;
    for (int i = 0; i < count; i++)
        if (strncmp(name, family[i], strlen(family[i])) == 0) return i + 1;
    return grey;
}

void sino_task_graph_node(SinoTaskGraph *graph, int64_t number, const char *name, SinoPosition position,
                          int access_count, const SinoAccess *access)
{
    if (graph->is_data) {
        begin_task(graph, number, name, position, access_count, access);
        return;
    }
    fprintf(graph->file, "    t%" PRId64 " [fillcolor=%d, label=\"%s", number, color(name), name);
    if (position.slab >= 0) fprintf(graph->file, "\\nslab %" PRId64, position.slab);
    if (position.minibatch >= 0) fprintf(graph->file, "\\nminibatch %" PRId64, position.minibatch);
    if (position.partition >= 0) fprintf(graph->file, "\\npartition %" PRId64, position.partition);
    if (position.iteration >= 0) fprintf(graph->file, "\\niteration %" PRId64, position.iteration);
    fprintf(graph->file, "\"]\n");
}

void sino_task_graph_edge(SinoTaskGraph *graph, int64_t from, int64_t to, const char *label)
{
    if (graph->is_data)
        sino_json_integer(&graph->json, NULL, from);
    else
        fprintf(graph->file, "    t%" PRId64 " -> t%" PRId64 " [label=\"%s\"]\n", from, to, label);
}

SinoStatus sino_task_graph_close(SinoTaskGraph *graph)
{
    if (!graph) return NULL;
    if (graph->is_data)
        end_line(&graph->json);
    else
        fprintf(graph->file, "}\n");
    (void)fclose(graph->file); /* the output keeps failures */
    SinoStatus status = sino_output_seal(graph->output);
    free(graph);
    return status;
}

void sino_task_graph_discard(SinoTaskGraph *graph)
{
    if (!graph) return;
    if (graph->file) (void)fclose(graph->file); /* the file is removed, so errors do not matter */
    sino_output_discard(graph->output);
    free(graph);
}
