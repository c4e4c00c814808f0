/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on an OpenCL device. */
#include "update_opencl.h"

/* History of update.cl. */
typedef struct History {
    int64_t columns, iteration;
    double tolerance;
} History;

static History history_of(const SinoHistory *history)
{
    return (History){.columns = history->columns, .iteration = history->iteration, .tolerance = history->tolerance};
}

_Static_assert(sizeof(SinoSliceState) == 6 * sizeof(double) + sizeof(int64_t), "State of update.cl is this");
_Static_assert(sizeof(SinoSliceSums) == 2 * sizeof(double), "Sums of update.cl is this");

SinoStatus sino_update_sums_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem v, cl_mem w, bool first,
                                   cl_mem sums)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(is_first),
                                           SINO_CL(v),      SINO_CL(w),    SINO_CL(sums)};
    return sino_opencl_launch(opencl, slices.precision, "update_sums", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_collect_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem part, bool first, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(is_first), SINO_CL(part), SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "update_collect", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_start_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                    const SinoHistory *history, cl_mem residual)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const History where = history_of(history);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(where), SINO_CL(sums), SINO_CL(state),
                                           SINO_CL(residual)};
    return sino_opencl_launch(opencl, slices.precision, "update_start", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_step_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(sums), SINO_CL(state)};
    return sino_opencl_launch(opencl, slices.precision, "update_step", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_residual_cg_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem q,
                                          cl_mem state, cl_mem r, cl_mem sums)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(ray_count), SINO_CL(q),
                                           SINO_CL(state),  SINO_CL(r),         SINO_CL(sums)};
    return sino_opencl_launch(opencl, slices.precision, "update_residual_cg", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_residual_sirt_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem b,
                                            cl_mem row_weight, bool first, cl_mem w, cl_mem sums)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout),     SINO_CL(ray_count), SINO_CL(is_first), SINO_CL(b),
                                           SINO_CL(row_weight), SINO_CL(w),         SINO_CL(sums)};
    return sino_opencl_launch(opencl, slices.precision, "update_residual_sirt", slices.stride, 1,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_record_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                     const SinoHistory *history, cl_mem residual, cl_mem active)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const History where = history_of(history);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(where),    SINO_CL(sums),
                                           SINO_CL(state),  SINO_CL(residual), SINO_CL(active)};
    return sino_opencl_launch(opencl, slices.precision, "update_record", 1, 1, SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_direction_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, bool first, cl_mem state)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(is_first), SINO_CL(sums), SINO_CL(state)};
    return sino_opencl_launch(opencl, slices.precision, "update_direction", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_voxels_cg_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t voxel_count, cl_mem g,
                                        cl_mem state, bool first, cl_mem g0, cl_mem d, cl_mem x)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(voxel_count), SINO_CL(is_first), SINO_CL(g),
                                           SINO_CL(state),  SINO_CL(g0),          SINO_CL(d),        SINO_CL(x)};
    return sino_opencl_launch(opencl, slices.precision, "update_voxels_cg", slices.stride, voxel_count,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_voxels_sirt_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t voxel_count, cl_mem g,
                                          cl_mem column_weight, cl_mem state, double relaxation, bool nonnegativity,
                                          bool first, cl_mem x)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first, is_nonnegative = nonnegativity;
    const SinoOpenclArgument argument[] = {SINO_CL(layout),         SINO_CL(voxel_count), SINO_CL(relaxation),
                                           SINO_CL(is_nonnegative), SINO_CL(is_first),    SINO_CL(g),
                                           SINO_CL(column_weight),  SINO_CL(state),       SINO_CL(x)};
    return sino_opencl_launch(opencl, slices.precision, "update_voxels_sirt", slices.stride, voxel_count,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_reciprocal_opencl(SinoOpencl *opencl, SinoPrecision precision, int64_t count, cl_mem value)
{
    const SinoOpenclArgument argument[] = {SINO_CL(count), SINO_CL(value)};
    return sino_opencl_launch(opencl, precision, "update_reciprocal", 1, count, SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_fill_one_opencl(SinoOpencl *opencl, SinoPrecision precision, int64_t count, cl_mem value)
{
    const SinoOpenclArgument argument[] = {SINO_CL(count), SINO_CL(value)};
    return sino_opencl_launch(opencl, precision, "update_fill_one", 1, count, SINO_CL_COUNT(argument), argument);
}
