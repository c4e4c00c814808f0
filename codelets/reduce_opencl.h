/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on an OpenCL device: the functions of reduce.h with buffers of the device. They are launched, not waited for.
 * `row` holds the map's list, whose own pointer is not used. */
#ifndef SINO_REDUCE_OPENCL_H
#define SINO_REDUCE_OPENCL_H

#include "opencl_device.h"
#include "reduce.h"

#include <stdbool.h>

SinoStatus sino_reduce_add_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                  cl_mem partial, bool first, cl_mem total);
SinoStatus sino_spread_take_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                   cl_mem total, cl_mem partial);

#endif
