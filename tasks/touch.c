/* SPDX-License-Identifier: BSD-3-Clause */
/* touch: pages of memory that was reserved are taken from the system, by many cores at once. */
#include "tasks.h"

#include "memory.h"

typedef struct Arguments {
    SinoTaskHead head;
    void *memory;
    int64_t bytes;
} Arguments;

static SinoStatus touch(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    sino_touch(arguments->memory, arguments->bytes);
    return NULL;
}

SINO_CPU_FUNCTION(touch_cpu, Arguments, touch)
SINO_CODELET(codelet, "touch", touch_cpu)

SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes)
{
    const Arguments arguments = {.head = {.work = (double)bytes}, .memory = memory, .bytes = bytes};
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 0, NULL);
}
