/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast on an OpenCL device. */
#include "cast.h"

_Static_assert(SINO_SLICES_MAX == 256, "Units of cast.cl has so many slices");

SinoStatus sino_cast_units_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, int exponent,
                                  bool first, bool last, cl_mem units)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t power = exponent, is_first = first, is_last = last;
    const SinoOpenclArgument argument[] = {SINO_CL(layout),  SINO_CL(rows), SINO_CL(power), SINO_CL(is_first),
                                           SINO_CL(is_last), SINO_CL(x),    SINO_CL(units)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "cast_units", slices.stride, 1, SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_cast_narrow_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                   cl_mem to)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(x), SINO_CL(units), SINO_CL(to)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "cast_narrow", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_cast_widen_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                  cl_mem to)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(x), SINO_CL(units), SINO_CL(to)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "cast_widen", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}
