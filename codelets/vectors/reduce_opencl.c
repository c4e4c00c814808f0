/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on an OpenCL device. */
#include "reduce_opencl.h"

/* The same struct as RowMap of reduce.cl. */
typedef struct RowMap {
    int64_t partial_rows, total_rows, first, count, base;
} RowMap;

static RowMap map_of(const SinoRowMap *map)
{
    return (RowMap){map->partial_rows, map->total_rows, map->first, map->count, map->base};
}

static SinoStatus clear(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "reduce_clear", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_reduce_add_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                  cl_mem partial, bool first, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const RowMap of = map_of(map);
    if (first) SINO_TRY(clear(opencl, slices, map->total_rows, total));
    if (map->count == 0) return NULL;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(of), SINO_CL(row), SINO_CL(partial),
                                           SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "reduce_add", slices.stride, map->count,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_spread_take_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                   cl_mem total, cl_mem partial)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const RowMap of = map_of(map);
    if (map->count == 0) return NULL;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(of), SINO_CL(row), SINO_CL(total),
                                           SINO_CL(partial)};
    return sino_opencl_launch(opencl, slices.precision, "spread_take", slices.stride, map->count,
                              SINO_CL_COUNT(argument), argument);
}
