/* SPDX-License-Identifier: BSD-3-Clause */
/* Task reduce (reduce_socket, reduce_node, reduce_global): adds partial projections level by level. spread_global,
 * spread_node and spread_socket go the way back. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "reduce.h"
#include "reduce_opencl.h"
#include "task.h"

#include <math.h>

typedef struct Sums {
    SinoOperand from, to, list; /* list: none if there are no rows, or on a core */
    SinoSlices slices;
    SinoRowMap map;
    bool first;
} Sums;

static SinoStatus reduce_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    sino_reduce_add(of->slices, &of->map, of->from.at, of->first, of->to.at);
    return NULL;
}

static SinoStatus spread_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    sino_spread_take(of->slices, &of->map, of->from.at, of->to.at);
    return NULL;
}

/* The row map, whose list of rows is in the device's memory. */
static SinoRowMap map_on_device(const Sums *of)
{
    SinoRowMap map = of->map;
    map.row = of->list.at;
    return map;
}

static SinoStatus reduce_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Sums *of = task->arguments;
    const SinoRowMap map = map_on_device(of);
    return sino_reduce_add_cuda(stream, of->slices, &map, of->from.at, of->first, of->to.at);
}

static SinoStatus spread_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Sums *of = task->arguments;
    const SinoRowMap map = map_on_device(of);
    return sino_spread_take_cuda(stream, of->slices, &map, of->from.at, of->to.at);
}

static SinoStatus reduce_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Sums *of = task->arguments;
    return sino_reduce_add_opencl(opencl, of->slices, &of->map, of->list.opencl, of->from.opencl, of->first,
                                  of->to.opencl);
}

static SinoStatus spread_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Sums *of = task->arguments;
    return sino_spread_take_opencl(opencl, of->slices, &of->map, of->list.opencl, of->from.opencl, of->to.opencl);
}

#define SUMS_KIND(NAME, FUNCTIONS)                                                                                     \
    {                                                                                                                  \
        .name = (NAME),                                                                                                \
        SINO_ARGUMENTS(Sums, SINO_READS(Sums, from), SINO_WRITES(Sums, to), SINO_MAY_READ(Sums, list)),                \
        SINO_CPU_CUDA_OPENCL(FUNCTIONS)                                                                                \
    }

static const SinoTaskKind reduce_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = SUMS_KIND("reduce_socket", reduce),
    [SINO_REDUCE_NODE] = SUMS_KIND("reduce_node", reduce),
    [SINO_REDUCE_GLOBAL] = SUMS_KIND("reduce_global", reduce),
};

static const SinoTaskKind spread_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = SUMS_KIND("spread_socket", spread),
    [SINO_REDUCE_NODE] = SUMS_KIND("spread_node", spread),
    [SINO_REDUCE_GLOBAL] = SUMS_KIND("spread_global", spread),
};

/* Rows of the partial and the same ones of the total, which are read or written once. */
static int64_t moved_bytes(SinoSlices slices, const SinoRowMap *map)
{
    return 2 * sino_times(sino_times(map->count, slices.stride), (int64_t)sino_precision_bytes(slices.precision));
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, SinoSlices slices,
                         const SinoRowMap *map, SinoData *list, bool first, SinoData *from, SinoData *to)
{
    const Sums arguments = {.from.data = from,
                            .to = {.data = to, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                            .list.data = list,
                            .slices = slices,
                            .map = *map,
                            .first = first};
    return SINO_SUBMIT(runtime, kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(map->count * slices.stride), .part_bytes = moved_bytes(slices, map),
                       .host = !list && map->count > 0);
}

SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total)
{
    return insert(runtime, &reduce_kind[level], position, slices, map, list, first, partial, total);
}

/* Arguments of a task that adds up all partials. */
typedef struct AllSums {
    SinoOperand total;
    SinoOperandList partial;
    SinoSlices slices;
    const SinoRowMap *map; /* [partial.count] */
    int64_t first_row, row_count;
} AllSums;

static SinoStatus reduce_all_cpu(const SinoTask *task)
{
    const AllSums *of = task->arguments;
    sino_reduce_add_all(of->slices, of->partial.count, of->map, of->partial.read, of->first_row, of->row_count,
                        of->total.at);
    return NULL;
}

#define ALL_KIND(NAME)                                                                                                 \
    {                                                                                                                  \
        .name = (NAME), SINO_ARGUMENTS(AllSums, SINO_WRITES(AllSums, total), SINO_READS_EACH(AllSums, partial)),       \
        .revision = 1, .cpu = reduce_all_cpu                                                                           \
    }

static const SinoTaskKind all_kind[SINO_REDUCTIONS] = {
    [SINO_REDUCE_SOCKET] = ALL_KIND("reduce_socket"),
    [SINO_REDUCE_NODE] = ALL_KIND("reduce_node"),
    [SINO_REDUCE_GLOBAL] = ALL_KIND("reduce_global"),
};

static SinoStatus insert_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position, const AllSums *of)
{
    double rows = 0;
    for (int64_t i = 0; i < of->partial.count; i++) rows += (double)of->map[i].count;
    const double share = (double)of->row_count / fmax(1, (double)of->map[0].total_rows);
    const double stride = (double)of->slices.stride, element = (double)sino_precision_bytes(of->slices.precision);
    return SINO_SUBMIT(runtime, &all_kind[level], position, of, SINO_OF_SLICES(of->slices),
                       .work = share * rows * stride,
                       .part_bytes = (int64_t)((share * rows + (double)of->row_count) * stride * element));
}

/* Tasks for some of the rows each, between the gates of the total. */
static SinoStatus insert_parts(SinoRuntime *runtime, SinoReduction level, SinoPosition position, AllSums *of,
                               int64_t part_count)
{
    const int64_t rows = of->map[0].total_rows;
    SINO_TRY(sino_insert_rays_begin(runtime, position, false, of->total.data));
    of->total.mode = SINO_READ;
    for (int64_t i = 0; i < part_count; i++) {
        of->first_row = sino_part_first(rows, part_count, i);
        of->row_count = sino_part_first(rows, part_count, i + 1) - of->first_row;
        position.partition = i;
        SINO_TRY(insert_all(runtime, level, position, of));
    }
    position.partition = -1;
    return sino_insert_rays_end(runtime, position, of->total.data);
}

SinoStatus sino_insert_reduce_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                                  int64_t count, const SinoRowMap *map, SinoData *const *partial, int64_t part_count,
                                  SinoData *total)
{
    AllSums all = {.total.data = total,
                   .partial = {.data = partial, .count = count},
                   .slices = slices,
                   .map = map,
                   .row_count = map[0].total_rows};
    const int64_t parts = sino_useful_parts(slices, map[0].total_rows, part_count);
    return parts > 1 ? insert_parts(runtime, level, position, &all, parts) : insert_all(runtime, level, position, &all);
}

SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *total, SinoData *partial)
{
    return insert(runtime, &spread_kind[level], position, slices, map, list, first, total, partial);
}
