/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_socket, reduce_node, reduce_global: partial projections added up, level by level. spread_global, spread_node,
 * spread_socket: the way back. */
#include "tasks.h"

#include "reduce_cuda.h"
#include "reduce_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    SinoRowMap map;
    bool first, has_list; /* without a list on the device there are no rows */
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

#if defined SINO_CUDA && defined STARPU_USE_CUDA
/* The map, its list being on the device. */
static SinoRowMap map_on_device(void *buffers[], const Arguments *arguments)
{
    SinoRowMap map = arguments->map;
    map.row = arguments->has_list ? sino_buffer(buffers, 2) : NULL;
    return map;
}

#define MAP ((SinoRowMap[]){map_on_device(buffers, arguments)})
#endif

SINO_CUDA_FUNCTION(reduce_cuda, Arguments,
                   sino_reduce_add_cuda(stream, arguments->slices, MAP, sino_buffer(buffers, 0), arguments->first,
                                        sino_buffer(buffers, 1)))
SINO_CUDA_FUNCTION(spread_cuda, Arguments,
                   sino_spread_take_cuda(stream, arguments->slices, MAP, sino_buffer(buffers, 0),
                                         sino_buffer(buffers, 1)))
#define LIST (arguments->has_list ? sino_opencl_buffer(buffers, 2) : NULL)

SINO_OPENCL_FUNCTION(reduce_opencl, Arguments,
                     sino_reduce_add_opencl(opencl, arguments->slices, &arguments->map, LIST,
                                            sino_opencl_buffer(buffers, 0), arguments->first,
                                            sino_opencl_buffer(buffers, 1)))
SINO_OPENCL_FUNCTION(spread_opencl, Arguments,
                     sino_spread_take_opencl(opencl, arguments->slices, &arguments->map, LIST,
                                             sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1)))
SINO_CODELET(reduce_socket, "reduce_socket", reduce_cpu, SINO_ON_CUDA(reduce_cuda) SINO_ON_OPENCL(reduce_opencl))
SINO_CODELET(reduce_node, "reduce_node", reduce_cpu, SINO_ON_CUDA(reduce_cuda) SINO_ON_OPENCL(reduce_opencl))
SINO_CODELET(reduce_global, "reduce_global", reduce_cpu, SINO_ON_CUDA(reduce_cuda) SINO_ON_OPENCL(reduce_opencl))
SINO_CODELET(spread_socket, "spread_socket", spread_cpu, SINO_ON_CUDA(spread_cuda) SINO_ON_OPENCL(spread_opencl))
SINO_CODELET(spread_node, "spread_node", spread_cpu, SINO_ON_CUDA(spread_cuda) SINO_ON_OPENCL(spread_opencl))
SINO_CODELET(spread_global, "spread_global", spread_cpu, SINO_ON_CUDA(spread_cuda) SINO_ON_OPENCL(spread_opencl))

static struct starpu_codelet *const reduce_codelet[] = {&reduce_socket, &reduce_node, &reduce_global};
static struct starpu_codelet *const spread_codelet[] = {&spread_socket, &spread_node, &spread_global};

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, SinoSlices slices,
                         const SinoRowMap *map, SinoData *list, bool first, SinoData *from, SinoData *to)
{
    const Arguments arguments = {
        .head = {.work = (double)(map->count * slices.stride), .host = !list && map->count > 0},
        .slices = slices,
        .map = *map,
        .first = first,
        .has_list = list != NULL};
    const SinoAccess access[] = {{from, STARPU_R}, {to, first ? STARPU_W : STARPU_RW}, {list, STARPU_R}};
    return sino_task_submit(runtime, codelet, position, false, &arguments, sizeof arguments, list ? 3 : 2, access);
}

SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total)
{
    return insert(runtime, reduce_codelet[level], position, slices, map, list, first, partial, total);
}

SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, SinoData *total, SinoData *partial)
{
    const bool whole = map->count == map->partial_rows;
    return insert(runtime, spread_codelet[level], position, slices, map, list, whole, total, partial);
}
