/* SPDX-License-Identifier: BSD-3-Clause */
/* Task graph: a DOT file of the submitted tasks and the data through which they depend on each other. */
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

void sino_task_graph_node(SinoTaskGraph *graph, int64_t number, const char *name, SinoPosition position)
{
    fprintf(graph->file, "    t%" PRId64 " [fillcolor=%d, label=\"%s", number, color(name), name);
    if (position.slab >= 0) fprintf(graph->file, "\\nslab %" PRId64, position.slab);
    if (position.minibatch >= 0) fprintf(graph->file, "\\nminibatch %" PRId64, position.minibatch);
    if (position.partition >= 0) fprintf(graph->file, "\\npartition %" PRId64, position.partition);
    if (position.iteration >= 0) fprintf(graph->file, "\\niteration %" PRId64, position.iteration);
    fprintf(graph->file, "\"]\n");
}

void sino_task_graph_edge(SinoTaskGraph *graph, int64_t from, int64_t to, const char *label)
{
    fprintf(graph->file, "    t%" PRId64 " -> t%" PRId64 " [label=\"%s\"]\n", from, to, label);
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
