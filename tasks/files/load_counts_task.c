/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_counts: reads a set of values that go with a system matrix. */
#include "load_counts_task.h"

#include "task.h"

typedef struct LoadCounts {
    SinoOperand values, io;
    SinoCountsFile *file;
    int64_t set;
} LoadCounts;

static SinoStatus load_counts_cpu(const SinoTask *task)
{
    const LoadCounts *of = task->arguments;
    return sino_counts_read(of->file, of->set, 1, of->values.at);
}

static const SinoTaskKind load_counts_kind = {
    .name = "load_counts",
    .waits = true,
    SINO_ARGUMENTS(LoadCounts, SINO_WRITES(LoadCounts, values), SINO_UPDATES(LoadCounts, io)),
    .cpu = load_counts_cpu};

SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values)
{
    const LoadCounts arguments = {.values.data = values, .io.data = io, .file = file, .set = set};
    return SINO_SUBMIT(runtime, &load_counts_kind, position, &arguments, .file_bytes = SINO_FILE_DATA);
}
