/* SPDX-License-Identifier: BSD-3-Clause */
/* Task repeat: copies one row to many. */
#include "repeat_task.h"

#include "task.h"

#include <string.h>

typedef struct Arguments {
    int64_t row_count, row_bytes, row;
} Arguments;

static SinoStatus repeat_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const char *from = (const char *)sino_task_buffer(task, 0) + arguments->row * arguments->row_bytes;
    char *to = sino_task_buffer(task, 1);
    for (int64_t i = 0; i < arguments->row_count; i++)
        memcpy(to + i * arguments->row_bytes, from, (size_t)arguments->row_bytes);
    return NULL;
}

static const SinoTaskKind repeat_kind = {
    .name = "repeat", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = repeat_cpu};

SinoStatus sino_insert_repeat(SinoRuntime *runtime, SinoPosition position, int64_t row_count, int64_t row_bytes,
                              int64_t row, SinoData *from, SinoData *to)
{
    const Arguments arguments = {row_count, row_bytes, row};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_WRITE}};
    return sino_task_submit(runtime, &repeat_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}
