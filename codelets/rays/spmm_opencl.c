/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on an OpenCL device, from gather lists. */
#include "spmm_opencl.h"

#include <assert.h>
#include <stddef.h>

_Static_assert(SINO_TILE_VOXELS == 256 && SINO_ORIENTATIONS == 8 && SINO_BUNDLE_GROUPS == 4, "spmm.cl has these");
_Static_assert(SINO_SINGLE == 0 && SINO_DOUBLE == 1 && SINO_HALF == 2 && SINO_MIXED == 3, "spmm.cl has these");
_Static_assert(sizeof(SinoGatherHeader) == 120 && offsetof(SinoGatherHeader, precision) == 56 &&
                   offsetof(SinoGatherHeader, angles) == 76 && offsetof(SinoGatherHeader, unit_count) == 84 &&
                   sizeof(SinoGatherChain) == 24 && sizeof(SinoGatherVisit) == 32 &&
                   offsetof(SinoGatherVisit, orientations) == 28 && sizeof(SinoGatherBundle) == 40,
               "structures of spmm.cl are these");

static SinoStatus launch(SinoOpencl *opencl, const char *kernel, const SinoGatherHeader *header, int64_t owners,
                         int64_t to_rows, cl_mem lists, int64_t stride, cl_mem from, cl_mem units, cl_mem to)
{
    const SinoPrecision precision = (SinoPrecision)header->precision;
    const SinoSlices slices = {.precision = sino_precision_solver(precision), .stride = stride, .slice_count = stride};
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t stored = header->precision;
    const SinoOpenclArgument clear[] = {SINO_CL(layout), SINO_CL(stored), SINO_CL(to_rows), SINO_CL(to)};
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(lists), SINO_CL(from), SINO_CL(units), SINO_CL(to)};
    assert(header->outputs == SINO_BUNDLE_GROUPS);
    SINO_TRY(sino_opencl_launch(opencl, precision, "spmm_clear", stride, to_rows, SINO_CL_COUNT(clear), clear));
    return sino_opencl_launch(opencl, precision, kernel, stride, owners, SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_spmm_project_opencl(SinoOpencl *opencl, const SinoGatherHeader *header, cl_mem lists, int64_t stride,
                                    cl_mem x, cl_mem units, cl_mem y)
{
    return launch(opencl, "spmm_project", header, header->unit_count, header->ray_count, lists, stride, x, units, y);
}

SinoStatus sino_spmm_backproject_opencl(SinoOpencl *opencl, const SinoGatherHeader *header, cl_mem lists,
                                        int64_t stride, cl_mem y, cl_mem units, cl_mem x)
{
    return launch(opencl, "spmm_backproject", header, header->tile_count, header->tile_count * SINO_TILE_VOXELS, lists,
                  stride, y, units, x);
}
