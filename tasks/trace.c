/* SPDX-License-Identifier: BSD-3-Clause */
/* trace: the rays' lengths in a run of tiles. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoGeometry geometry;
    SinoPrecision precision;
    int64_t first_tile, tile_count;
    const SinoTilePlace *tile;
    SinoTrace *trace;
    uint8_t *touched;
} Arguments;

static SinoStatus trace(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    SINO_TRY(sino_trace_tiles(&arguments->geometry, arguments->precision, arguments->first_tile, arguments->tile_count,
                              arguments->tile, arguments->trace));
    if (arguments->touched) sino_pack_mark(arguments->trace, arguments->touched);
    return NULL;
}

SINO_CPU_FUNCTION(trace_cpu, Arguments, trace)
SINO_CODELET(codelet, "trace", trace_cpu)

SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, const SinoGeometry *geometry,
                             SinoPrecision precision, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                             SinoTrace *traced, uint8_t *touched)
{
    const Arguments arguments = {.head = {.work = (double)(tile_count * geometry->angle_count)},
                                 .geometry = *geometry,
                                 .precision = precision,
                                 .first_tile = first_tile,
                                 .tile_count = tile_count,
                                 .tile = tile,
                                 .trace = traced,
                                 .touched = touched};
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 0, NULL);
}
