/* SPDX-License-Identifier: BSD-3-Clause */
/* spread_node: what a partition's footprint needs of a whole projection; the mirror image of reduce_node. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    const SinoFootprint *footprint;
    int64_t total_ray_count;
} Arguments;

static SinoStatus spread_node(void *buffers[], const Arguments *arguments)
{
    sino_spread_take(arguments->slices, arguments->footprint, arguments->total_ray_count, sino_buffer(buffers, 0),
                     sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(spread_node_cpu, Arguments, spread_node)
SINO_CODELET(codelet, "spread_node", spread_node_cpu)

SinoStatus sino_insert_spread_node(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                   const SinoFootprint *footprint, int64_t total_ray_count, SinoData *total,
                                   SinoData *partial)
{
    const Arguments arguments = {.head = {.work = (double)(footprint->ray_count * slices.stride)},
                                 .slices = slices,
                                 .footprint = footprint,
                                 .total_ray_count = total_ray_count};
    const SinoAccess access[] = {{total, STARPU_R}, {partial, STARPU_W}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 2, access);
}
