/* SPDX-License-Identifier: BSD-3-Clause */
/* spread_node: what a partition's footprint needs of a whole projection; the mirror image of reduce_node. */
#include "tasks.h"

#include "reduce_cuda.h"
#include "reduce_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    const SinoFootprint *footprint;
    int64_t total_ray_count;
    bool has_rays; /* the footprint's list is data, which devices read */
} Arguments;

static SinoStatus spread_node(void *buffers[], const Arguments *arguments)
{
    sino_spread_take(arguments->slices, arguments->footprint, arguments->total_ray_count, sino_buffer(buffers, 0),
                     sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(spread_node_cpu, Arguments, spread_node)

/* The footprint, its list being on the device. */
#define ON_DEVICE                                                                                                      \
    ((SinoFootprint[]){                                                                                                \
        {.ray_count = arguments->footprint->ray_count, .ray = arguments->has_rays ? sino_buffer(buffers, 2) : NULL}})

SINO_CUDA_FUNCTION(spread_node_cuda, Arguments,
                   sino_spread_take_cuda(stream, arguments->slices, ON_DEVICE, arguments->total_ray_count,
                                         sino_buffer(buffers, 0), sino_buffer(buffers, 1)))
SINO_OPENCL_FUNCTION(spread_node_opencl, Arguments,
                     sino_spread_take_opencl(opencl, arguments->slices, arguments->footprint->ray_count,
                                             arguments->has_rays ? sino_opencl_buffer(buffers, 2) : NULL,
                                             arguments->total_ray_count, sino_opencl_buffer(buffers, 0),
                                             sino_opencl_buffer(buffers, 1)))
SINO_CODELET(codelet, "spread_node", spread_node_cpu, SINO_ON_CUDA(spread_node_cuda) SINO_ON_OPENCL(spread_node_opencl))

SinoStatus sino_insert_spread_node(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                   const SinoFootprint *footprint, int64_t total_ray_count, SinoData *rays,
                                   SinoData *total, SinoData *partial)
{
    const Arguments arguments = {.head = {.work = (double)(footprint->ray_count * slices.stride)},
                                 .slices = slices,
                                 .footprint = footprint,
                                 .total_ray_count = total_ray_count,
                                 .has_rays = rays != NULL};
    const SinoAccess access[] = {{total, STARPU_R}, {partial, STARPU_W}, {rays, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, rays ? 3 : 2, access);
}
