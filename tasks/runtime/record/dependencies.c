/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies: which tasks a task waits for.
 *
 * They follow StarPU's sequential consistency: a reader depends on the last writer; a writer depends on the last writer
 * and on every task that has read since. */
#include "runtime_private.h"

#include <stdlib.h>

static SinoStatus add_edge(SinoRuntime *runtime, int64_t from, int64_t to, const char *label)
{
    if (from < 0 || from == to) return NULL;
    if (runtime->graph) sino_task_graph_edge(runtime->graph, from, to, label);
    return runtime->recorder ? sino_recorder_edge(runtime->recorder, from) : NULL;
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

static SinoStatus add_access(SinoRuntime *runtime, int64_t task, SinoAccess access)
{
    SinoData *data = access.data;
    if (access.mode & SINO_SCRATCH) return NULL;
    if (!(access.mode & SINO_WRITE)) {
        SINO_TRY(add_edge(runtime, data->writer, task, data->name));
        return remember_reader(data, task);
    }
    /* The readers order the last writer already. */
    for (int64_t r = 0; r < data->reader_count; r++) SINO_TRY(add_edge(runtime, data->reader[r], task, data->name));
    if (data->reader_count == 0) SINO_TRY(add_edge(runtime, data->writer, task, data->name));
    data->reader_count = 0;
    data->writer = task;
    return NULL;
}

SinoStatus sino_dependencies_add(SinoRuntime *runtime, const char *name, SinoPosition position, int access_count,
                                 const SinoAccess *access, SinoRecorded **recorded)
{
    if (!runtime->graph && !runtime->recorder) return NULL;
    const int64_t number = runtime->node_count++;
    if (runtime->graph) sino_task_graph_node(runtime->graph, number, name, position, access_count, access);
    if (runtime->recorder) SINO_TRY(sino_recorder_add(runtime->recorder, name, position, recorded));
    for (int i = 0; i < access_count; i++) SINO_TRY(add_access(runtime, number, access[i]));
    return NULL;
}
