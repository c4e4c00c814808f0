/* SPDX-License-Identifier: BSD-3-Clause */
/* pack: a traced run of tiles into its place in a partition's block. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoTrace *trace;
    const uint32_t *local;
    uint8_t *to;
} Arguments;

static SinoStatus pack(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    sino_pack_tiles(arguments->trace, arguments->local, arguments->to);
    return NULL;
}

SINO_CPU_FUNCTION(pack_cpu, Arguments, pack)
SINO_CODELET(codelet, "pack", pack_cpu)

SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, SinoTrace *trace, const uint32_t *local,
                            uint8_t *to)
{
    const Arguments arguments = {.head = {.work = (double)trace->size}, .trace = trace, .local = local, .to = to};
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 0, NULL);
}
