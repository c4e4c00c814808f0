/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_node: partial projections of a node's partitions added up. */
#include "tasks.h"

#include "reduce_cuda.h"
#include "reduce_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    const SinoFootprint *footprint;
    bool first;
    int64_t total_ray_count;
    bool has_rays; /* the footprint's list is data, which devices read */
} Arguments;

static SinoStatus reduce_node(void *buffers[], const Arguments *arguments)
{
    sino_reduce_add(arguments->slices, arguments->footprint, sino_buffer(buffers, 0), arguments->first,
                    arguments->total_ray_count, sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(reduce_node_cpu, Arguments, reduce_node)

/* The footprint, its list being on the device. */
#define ON_DEVICE                                                                                                      \
    ((SinoFootprint[]){                                                                                                \
        {.ray_count = arguments->footprint->ray_count, .ray = arguments->has_rays ? sino_buffer(buffers, 2) : NULL}})

SINO_CUDA_FUNCTION(reduce_node_cuda, Arguments,
                   sino_reduce_add_cuda(stream, arguments->slices, ON_DEVICE, sino_buffer(buffers, 0), arguments->first,
                                        arguments->total_ray_count, sino_buffer(buffers, 1)))
SINO_OPENCL_FUNCTION(reduce_node_opencl, Arguments,
                     sino_reduce_add_opencl(opencl, arguments->slices, arguments->footprint->ray_count,
                                            arguments->has_rays ? sino_opencl_buffer(buffers, 2) : NULL,
                                            sino_opencl_buffer(buffers, 0), arguments->first,
                                            arguments->total_ray_count, sino_opencl_buffer(buffers, 1)))
SINO_CODELET(codelet, "reduce_node", reduce_node_cpu, SINO_ON_CUDA(reduce_node_cuda) SINO_ON_OPENCL(reduce_node_opencl))

SinoStatus sino_insert_reduce_node(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                   const SinoFootprint *footprint, bool first, int64_t total_ray_count, SinoData *rays,
                                   SinoData *partial, SinoData *total)
{
    const Arguments arguments = {.head = {.work = (double)(footprint->ray_count * slices.stride)},
                                 .slices = slices,
                                 .footprint = footprint,
                                 .first = first,
                                 .total_ray_count = total_ray_count,
                                 .has_rays = rays != NULL};
    const SinoAccess access[] = {{partial, STARPU_R}, {total, first ? STARPU_W : STARPU_RW}, {rays, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, rays ? 3 : 2, access);
}
