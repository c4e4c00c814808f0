/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast on an OpenCL device: the functions of cast.h with buffers of the device. Functions launch kernels, and do not
 * wait for them. */
#ifndef SINO_CAST_OPENCL_H
#define SINO_CAST_OPENCL_H

#include "cast.h"
#include "opencl_device.h"

SinoStatus sino_cast_units_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, int exponent,
                                  bool first, bool last, cl_mem units);
SinoStatus sino_cast_narrow_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                   cl_mem to);
SinoStatus sino_cast_widen_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem x, cl_mem units,
                                  cl_mem to);

#endif
