/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_node: partial projections of a node's partitions added up. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    const SinoFootprint *footprint;
    bool first;
    int64_t total_ray_count;
} Arguments;

static SinoStatus reduce_node(void *buffers[], const Arguments *arguments)
{
    sino_reduce_add(arguments->slices, arguments->footprint, sino_buffer(buffers, 0), arguments->first,
                    arguments->total_ray_count, sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(reduce_node_cpu, Arguments, reduce_node)
SINO_CODELET(codelet, "reduce_node", reduce_node_cpu)

SinoStatus sino_insert_reduce_node(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                   const SinoFootprint *footprint, bool first, int64_t total_ray_count,
                                   SinoData *partial, SinoData *total)
{
    const Arguments arguments = {.head = {.work = (double)(footprint->ray_count * slices.stride)},
                                 .slices = slices,
                                 .footprint = footprint,
                                 .first = first,
                                 .total_ray_count = total_ray_count};
    const SinoAccess access[] = {{partial, STARPU_R}, {total, first ? STARPU_W : STARPU_RW}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 2, access);
}
