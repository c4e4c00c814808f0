/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on an OpenCL device: the functions of reduce.h with buffers of the device. Functions launch kernels, and do
 * not wait for them. The buffer `row` replaces map->row, which is ignored. */
#pragma once

#include "opencl_device.h"
#include "reduce.h"

#include <stdbool.h>

SinoStatus sino_reduce_add_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                  cl_mem partial, bool first, cl_mem total);
SinoStatus sino_spread_take_opencl(SinoOpencl *opencl, SinoSlices slices, const SinoRowMap *map, cl_mem row,
                                   cl_mem total, cl_mem partial);
