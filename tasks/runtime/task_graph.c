/* SPDX-License-Identifier: BSD-3-Clause */
/* Task graph: a DOT file of the submitted tasks and the data through which they depend on each other.
 *
 * The edges follow StarPU's sequential consistency: a reader depends on the last writer; a writer depends on the last
 * writer and on every task that has read since. */
#include "memory.h"
#include "output_file.h"
#include "runtime_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SinoTaskGraph {
    SinoOutputFile *output;
    FILE *file; /* writes to the output */
    int64_t task_count;
};

SinoStatus sino_task_graph_open(const char *path, bool overwrite, SinoTaskGraph **result)
{
    SinoTaskGraph *graph = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(1, sizeof *graph, "the task graph", &graph));
    SINO_TRY_OR(status, fail, sino_output_open(path, overwrite, &graph->output));
    graph->file = sino_output_stream(graph->output);
    SINO_CHECK_OR(status, fail, graph->file, SINO_FAILED, "no memory for the task graph");
    fprintf(graph->file, "digraph sinodag {\n    rankdir=TB\n    node [shape=box, style=filled, colorscheme=set312]\n");
    *result = graph;
    return NULL;
fail:
    sino_task_graph_discard(graph);
    return status;
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

static void write_node(SinoTaskGraph *graph, const char *name, SinoPosition position)
{
    fprintf(graph->file, "    t%" PRId64 " [fillcolor=%d, label=\"%s", graph->task_count, color(name), name);
    if (position.slab >= 0) fprintf(graph->file, "\\nslab %" PRId64, position.slab);
    if (position.minibatch >= 0) fprintf(graph->file, "\\nminibatch %" PRId64, position.minibatch);
    if (position.partition >= 0) fprintf(graph->file, "\\npartition %" PRId64, position.partition);
    if (position.iteration >= 0) fprintf(graph->file, "\\niteration %" PRId64, position.iteration);
    fprintf(graph->file, "\"]\n");
}

static void write_edge(SinoTaskGraph *graph, int64_t from, const char *label)
{
    if (from < 0 || from == graph->task_count) return;
    fprintf(graph->file, "    t%" PRId64 " -> t%" PRId64 " [label=\"%s\"]\n", from, graph->task_count, label);
}

static SinoStatus remember_reader(SinoData *data, int64_t task)
{
    if (data->reader_count == data->reader_capacity) {
        const int64_t capacity = 2 * data->reader_capacity + 8;
        int64_t *reader = realloc(data->reader, (size_t)capacity * sizeof *reader);
        SINO_CHECK(reader, SINO_FAILED, "no memory for the task graph");
        data->reader = reader;
        data->reader_capacity = capacity;
    }
    data->reader[data->reader_count++] = task;
    return NULL;
}

SinoStatus sino_task_graph_add(SinoTaskGraph *graph, const char *name, SinoPosition position, int access_count,
                               const SinoAccess *access)
{
    write_node(graph, name, position);
    for (int i = 0; i < access_count; i++) {
        SinoData *data = access[i].data;
        if (access[i].mode & SINO_SCRATCH) continue;
        if (!(access[i].mode & SINO_WRITE)) {
            write_edge(graph, data->writer, data->name);
            SINO_TRY(remember_reader(data, graph->task_count));
            continue;
        }
        /* The readers order the last writer already. */
        for (int64_t r = 0; r < data->reader_count; r++) write_edge(graph, data->reader[r], data->name);
        if (data->reader_count == 0) write_edge(graph, data->writer, data->name);
        data->reader_count = 0;
        data->writer = graph->task_count;
    }
    graph->task_count++;
    return NULL;
}

SinoStatus sino_task_graph_close(SinoTaskGraph *graph)
{
    if (!graph) return NULL;
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
