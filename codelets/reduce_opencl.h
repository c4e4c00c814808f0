/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce on an OpenCL device: the functions of reduce.h with buffers of the device. They are launched, not waited for.
 * `ray` holds the footprint's rays; NULL: it is every ray, in order. */
#ifndef SINO_REDUCE_OPENCL_H
#define SINO_REDUCE_OPENCL_H

#include "opencl_device.h"

#include <stdbool.h>

SinoStatus sino_reduce_add_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem ray, cl_mem partial,
                                  bool first, int64_t total_ray_count, cl_mem total);
SinoStatus sino_spread_take_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem ray,
                                   int64_t total_ray_count, cl_mem total, cl_mem partial);

#endif
