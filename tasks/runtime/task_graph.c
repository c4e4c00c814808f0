/* SPDX-License-Identifier: BSD-3-Clause */
/* Task graph: a DOT file of the submitted tasks and the data through which they depend on each other.
 *
 * The edges follow StarPU's sequential consistency: a reader depends on the last writer; a writer depends on the last
 * writer and on every task that has read since. */
#include "ending.h"
#include "memory.h"
#include "runtime_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SinoTaskGraph {
    FILE *file;
    char *path, *temporary;
    SinoLastAct last; /* removes the temporary file */
    int64_t task_count;
};

static void end_early(void *of, FILE *clause)
{
    (void)clause;
    remove(((const SinoTaskGraph *)of)->temporary);
}

SinoStatus sino_task_graph_open(const char *path, SinoTaskGraph **result)
{
    SinoTaskGraph *graph = NULL;
    SINO_TRY(sino_allocate(1, sizeof *graph, "the task graph", &graph));
    graph->path = strdup(path);
    if (asprintf(&graph->temporary, "%s.partial", path) < 0) graph->temporary = NULL;
    if (graph->path && graph->temporary) graph->file = fopen(graph->temporary, "w");
    if (!graph->file) {
        SinoStatus status = sino_error(SINO_BAD_INPUT, "graph: cannot write '%s': %s", path, strerror(errno));
        free(graph->path);
        free(graph->temporary);
        free(graph);
        return status;
    }
    fprintf(graph->file, "digraph sinodag {\n    rankdir=TB\n    node [shape=box, style=filled, colorscheme=set312]\n");
    graph->last = (SinoLastAct){.act = end_early, .of = graph};
    sino_ending_add(&graph->last);
    *result = graph;
    return NULL;
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

static void free_graph(SinoTaskGraph *graph)
{
    free(graph->path);
    free(graph->temporary);
    free(graph);
}

SinoStatus sino_task_graph_close(SinoTaskGraph *graph)
{
    if (!graph) return NULL;
    SinoStatus status = NULL;
    sino_ending_remove(&graph->last);
    errno = 0;
    fprintf(graph->file, "}\n");
    const bool bad = ferror(graph->file) != 0;
    if ((fclose(graph->file) != 0) | bad || rename(graph->temporary, graph->path) != 0)
        status = sino_error(SINO_FAILED, "graph: cannot write '%s': %s", graph->path,
                            errno ? strerror(errno) : "an earlier write failed");
    if (status) remove(graph->temporary);
    free_graph(graph);
    return status;
}

void sino_task_graph_discard(SinoTaskGraph *graph)
{
    if (!graph) return;
    sino_ending_remove(&graph->last);
    (void)fclose(graph->file); /* the file is removed, so errors do not matter */
    remove(graph->temporary);
    free_graph(graph);
}
