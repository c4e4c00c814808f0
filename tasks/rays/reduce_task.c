/* SPDX-License-Identifier: BSD-3-Clause */
/* Task reduce (reduce_socket, reduce_node, reduce_global): adds partial projections level by level. spread_global,
 * spread_node and spread_socket go the way back. */
#include "reduce_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "rays_gate_task.h"
#include "reduce_cuda.h"
#include "reduce_opencl.h"
#include "task.h"

#include <math.h>
#include <stdlib.h>

typedef struct Arguments {
    SinoSlices slices;
    SinoRowMap map;
    bool first, has_list; /* has_list false on a device: there are no rows */
} Arguments;

static SinoStatus reduce_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_reduce_add(arguments->slices, &arguments->map, sino_task_buffer(task, 0), arguments->first,
                    sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus spread_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_spread_take(arguments->slices, &arguments->map, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

/* The row map, whose list of rows is in the device's memory. */
static SinoRowMap map_on_device(const SinoTask *task, const Arguments *arguments)
{
    SinoRowMap map = arguments->map;
    map.row = arguments->has_list ? sino_task_buffer(task, 2) : NULL;
    return map;
}

static SinoStatus reduce_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoRowMap map = map_on_device(task, arguments);
    return sino_reduce_add_cuda(stream, arguments->slices, &map, sino_task_buffer(task, 0), arguments->first,
                                sino_task_buffer(task, 1));
}

static SinoStatus spread_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoRowMap map = map_on_device(task, arguments);
    return sino_spread_take_cuda(stream, arguments->slices, &map, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static cl_mem list_of(const SinoTask *task, const Arguments *arguments)
{
    return arguments->has_list ? sino_task_opencl_buffer(task, 2) : NULL;
}

static SinoStatus reduce_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_reduce_add_opencl(opencl, arguments->slices, &arguments->map, list_of(task, arguments),
                                  sino_task_opencl_buffer(task, 0), arguments->first, sino_task_opencl_buffer(task, 1));
}

static SinoStatus spread_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_spread_take_opencl(opencl, arguments->slices, &arguments->map, list_of(task, arguments),
                                   sino_task_opencl_buffer(task, 0), sino_task_opencl_buffer(task, 1));
}

/* A kind of task that reads one list of sums and, sometimes, a list of rows, and writes another list of sums. */
#define SUMS_KIND(NAME, CPU, CUDA, OPENCL)                                                                             \
    {                                                                                                                  \
        .name = (NAME), .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 3, .cpu = (CPU),           \
        .cuda = SINO_ON_CUDA(CUDA), .opencl = SINO_ON_OPENCL(OPENCL)                                                   \
    }

static const SinoTaskKind reduce_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = SUMS_KIND("reduce_socket", reduce_cpu, reduce_cuda, reduce_opencl),
    [SINO_REDUCE_NODE] = SUMS_KIND("reduce_node", reduce_cpu, reduce_cuda, reduce_opencl),
    [SINO_REDUCE_GLOBAL] = SUMS_KIND("reduce_global", reduce_cpu, reduce_cuda, reduce_opencl),
};

static const SinoTaskKind spread_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = SUMS_KIND("spread_socket", spread_cpu, spread_cuda, spread_opencl),
    [SINO_REDUCE_NODE] = SUMS_KIND("spread_node", spread_cpu, spread_cuda, spread_opencl),
    [SINO_REDUCE_GLOBAL] = SUMS_KIND("spread_global", spread_cpu, spread_cuda, spread_opencl),
};

/* Rows of the partial and the same ones of the total, which are read or written once. */
static int64_t moved_bytes(SinoSlices slices, const SinoRowMap *map)
{
    return 2 * sino_times(sino_times(map->count, slices.stride), (int64_t)sino_precision_bytes(slices.precision));
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, SinoSlices slices,
                         const SinoRowMap *map, SinoData *list, bool first, SinoData *from, SinoData *to)
{
    const Arguments arguments = {.slices = slices, .map = *map, .first = first, .has_list = list != NULL};
    const SinoAccess access[] = {{from, SINO_READ}, {to, first ? SINO_WRITE : SINO_READ_WRITE}, {list, SINO_READ}};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = list ? 3 : 2,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)(map->count * slices.stride),
                                               .part_bytes = moved_bytes(slices, map),
                                               .host = !list && map->count > 0});
}

SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total)
{
    return insert(runtime, &reduce_kind[level], position, slices, map, list, first, partial, total);
}

/* Arguments of a task that adds up all partials, its buffers after the total. */
typedef struct AllArguments {
    SinoSlices slices;
    int64_t count;
    const SinoRowMap *map;
    int64_t first_row, row_count;
} AllArguments;

static SinoStatus reduce_all_cpu(const SinoTask *task)
{
    const AllArguments *arguments = task->arguments;
    const void **partial;
    SINO_TRY(sino_allocate(arguments->count, sizeof *partial, "a list of partial sums", &partial));
    for (int64_t i = 0; i < arguments->count; i++) partial[i] = sino_task_buffer(task, (int)i + 1);
    sino_reduce_add_all(arguments->slices, arguments->count, arguments->map, partial, arguments->first_row,
                        arguments->row_count, sino_task_buffer(task, 0));
    free(partial);
    return NULL;
}

#define ALL_KIND(NAME)                                                                                                 \
    {                                                                                                                  \
        .name = (NAME), .argument_bytes = sizeof(AllArguments), .access_min = 2, .access_max = SINO_TASK_DATA_MANY,    \
        .revision = 1, .cpu = reduce_all_cpu                                                                           \
    }

static const SinoTaskKind all_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = ALL_KIND("reduce_socket"),
    [SINO_REDUCE_NODE] = ALL_KIND("reduce_node"),
    [SINO_REDUCE_GLOBAL] = ALL_KIND("reduce_global"),
};

static SinoStatus insert_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position,
                             const AllArguments *arguments, int access_count, const SinoAccess *access)
{
    double rows = 0;
    for (int64_t i = 0; i < arguments->count; i++) rows += (double)arguments->map[i].count;
    const double share = (double)arguments->row_count / fmax(1, (double)arguments->map[0].total_rows);
    const double element = (double)sino_precision_bytes(arguments->slices.precision);
    return sino_task_submit(runtime, &all_kind[level],
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = access_count,
                                               SINO_OF_SLICES(arguments->slices),
                                               .work = share * rows * (double)arguments->slices.stride,
                                               .part_bytes = (int64_t)((share * rows + (double)arguments->row_count) *
                                                                       (double)arguments->slices.stride * element)});
}

/* Tasks for some of the rows each, between the gates of the total. */
static SinoStatus insert_parts(SinoRuntime *runtime, SinoReduction level, SinoPosition position,
                               AllArguments *arguments, int64_t part_count, int access_count, SinoAccess *access)
{
    const int64_t rows = arguments->map[0].total_rows;
    SINO_TRY(sino_insert_rays_begin(runtime, position, false, access[0].data));
    access[0].mode = SINO_READ;
    for (int64_t i = 0; i < part_count; i++) {
        arguments->first_row = sino_part_first(rows, part_count, i);
        arguments->row_count = sino_part_first(rows, part_count, i + 1) - arguments->first_row;
        position.partition = i;
        SINO_TRY(insert_all(runtime, level, position, arguments, access_count, access));
    }
    position.partition = -1;
    return sino_insert_rays_end(runtime, position, access[0].data);
}

SinoStatus sino_insert_reduce_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                                  int64_t count, const SinoRowMap *map, SinoData *const *partial, int64_t part_count,
                                  SinoData *total)
{
    SinoAccess *access;
    AllArguments arguments = {.slices = slices, .count = count, .map = map, .row_count = map[0].total_rows};
    const int64_t parts = sino_useful_parts(slices, map[0].total_rows, part_count);
    SINO_TRY(sino_allocate(count + 1, sizeof *access, "the data of a task", &access));
    access[0] = (SinoAccess){total, SINO_WRITE};
    for (int64_t i = 0; i < count; i++) access[i + 1] = (SinoAccess){partial[i], SINO_READ};
    SinoStatus status = parts > 1 ? insert_parts(runtime, level, position, &arguments, parts, (int)count + 1, access)
                                  : insert_all(runtime, level, position, &arguments, (int)count + 1, access);
    free(access);
    return status;
}

SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, SinoData *total, SinoData *partial)
{
    const bool whole = map->count == map->partial_rows;
    return insert(runtime, &spread_kind[level], position, slices, map, list, whole, total, partial);
}
