/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on an OpenCL device. */
#include "reduce_opencl.h"

static SinoStatus clear(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "reduce_clear", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_reduce_add_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem ray, cl_mem partial,
                                  bool first, int64_t total_ray_count, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    if (first) SINO_TRY(clear(opencl, slices, total_ray_count, total));
    const SinoOpenclArgument argument[] = {SINO_CL(layout),          SINO_CL(ray_count), SINO_CL(ray),
                                           SINO_CL(total_ray_count), SINO_CL(partial),   SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "reduce_add", slices.stride, ray_count, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_spread_take_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem ray,
                                   int64_t total_ray_count, cl_mem total, cl_mem partial)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout),          SINO_CL(ray_count), SINO_CL(ray),
                                           SINO_CL(total_ray_count), SINO_CL(total),     SINO_CL(partial)};
    return sino_opencl_launch(opencl, slices.precision, "spread_take", slices.stride, ray_count,
                              SINO_CL_COUNT(argument), argument);
}
