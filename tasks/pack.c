/* SPDX-License-Identifier: BSD-3-Clause */
/* pack: rays of a traced run of tiles get their numbers in the partition's footprint. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    const SinoPackRun *run;
    const uint32_t *local;
} Arguments;

static SinoStatus pack(void *buffers[], const Arguments *arguments)
{
    const SinoPackRun *run = arguments->run;
    (void)buffers;
    sino_pack_renumber(run->layout->precision, sino_pack_piece_count(run->tile_count, run->tile), run->piece,
                       arguments->local, run->area->block);
    return NULL;
}

SINO_CPU_FUNCTION(pack_cpu, Arguments, pack)
SINO_CODELET(codelet, "pack", pack_cpu)

SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local)
{
    const Arguments arguments = {.head = {.work = (double)run->stored_count}, .run = run, .local = local};
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 0, NULL);
}
