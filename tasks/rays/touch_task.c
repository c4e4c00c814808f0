/* SPDX-License-Identifier: BSD-3-Clause */
/* Task touch: touches reserved memory, so that many cores take its pages from the system at once. */
#include "touch_task.h"

#include "memory.h"
#include "task.h"

typedef struct Arguments {
    void *memory;
    int64_t bytes;
} Arguments;

static SinoStatus touch_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_touch(arguments->memory, arguments->bytes);
    return NULL;
}

static const SinoTaskKind touch_kind = {.name = "touch", .argument_bytes = sizeof(Arguments), .cpu = touch_cpu};

SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes)
{
    const Arguments arguments = {.memory = memory, .bytes = bytes};
    return SINO_SUBMIT(runtime, &touch_kind, SINO_AT_PARTITION(partition), &arguments, .work = (double)bytes);
}
