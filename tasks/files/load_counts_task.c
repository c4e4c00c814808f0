/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_counts: reads a set of values that go with a system matrix. */
#include "load_counts_task.h"

#include "task.h"

typedef struct Arguments {
    SinoCountsFile *file;
    int64_t set;
} Arguments;

static SinoStatus load_counts_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_counts_read(arguments->file, arguments->set, 1, sino_task_buffer(task, 0));
}

static const SinoTaskKind load_counts_kind = {.name = "load_counts",
                                              .waits = true,
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 2,
                                              .access_max = 2,
                                              .cpu = load_counts_cpu};

SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values)
{
    const Arguments arguments = {.file = file, .set = set};
    const SinoAccess access[] = {{values, SINO_WRITE}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &load_counts_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               .file_bytes = SINO_FILE_DATA});
}
