/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_socket, reduce_node, reduce_global: partial projections added up, level by level. spread_global, spread_node,
 * spread_socket: the way back. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    SinoRowMap map;
    bool first;
} Arguments;

static SinoStatus reduce(void *buffers[], const Arguments *arguments)
{
    sino_reduce_add(arguments->slices, &arguments->map, sino_buffer(buffers, 0), arguments->first,
                    sino_buffer(buffers, 1));
    return NULL;
}

static SinoStatus spread(void *buffers[], const Arguments *arguments)
{
    sino_spread_take(arguments->slices, &arguments->map, sino_buffer(buffers, 0), sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(reduce_cpu, Arguments, reduce)
SINO_CPU_FUNCTION(spread_cpu, Arguments, spread)
SINO_CODELET(reduce_socket, "reduce_socket", reduce_cpu)
SINO_CODELET(reduce_node, "reduce_node", reduce_cpu)
SINO_CODELET(reduce_global, "reduce_global", reduce_cpu)
SINO_CODELET(spread_socket, "spread_socket", spread_cpu)
SINO_CODELET(spread_node, "spread_node", spread_cpu)
SINO_CODELET(spread_global, "spread_global", spread_cpu)

static struct starpu_codelet *const reduce_codelet[] = {&reduce_socket, &reduce_node, &reduce_global};
static struct starpu_codelet *const spread_codelet[] = {&spread_socket, &spread_node, &spread_global};

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, SinoSlices slices,
                         const SinoRowMap *map, bool first, SinoData *from, SinoData *to)
{
    const Arguments arguments = {
        .head = {.work = (double)(map->count * slices.stride)}, .slices = slices, .map = *map, .first = first};
    const SinoAccess access[] = {{from, STARPU_R}, {to, first ? STARPU_W : STARPU_RW}};
    return sino_task_submit(runtime, codelet, position, false, &arguments, sizeof arguments, 2, access);
}

SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, bool first, SinoData *partial, SinoData *total)
{
    return insert(runtime, reduce_codelet[level], position, slices, map, first, partial, total);
}

SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, bool first, SinoData *total, SinoData *partial)
{
    return insert(runtime, spread_codelet[level], position, slices, map, first, total, partial);
}
