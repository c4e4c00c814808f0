/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on an OpenCL device: the functions of update.h with buffers of the device. Functions launch kernels, and do
 * not wait for them. The buffer `residual` replaces history->residual, which is ignored. `active` receives the number
 * of slices that continue, an int64. */
#ifndef SINO_UPDATE_OPENCL_H
#define SINO_UPDATE_OPENCL_H

#include "opencl_device.h"
#include "update.h"

SinoStatus sino_update_opencl(SinoOpencl *opencl, const SinoUpdate *update, const cl_mem vector[SINO_UPDATE_VECTORS],
                              cl_mem state, cl_mem sums);
SinoStatus sino_update_slices_opencl(SinoOpencl *opencl, SinoUpdateRule rule, SinoSlices slices, bool first,
                                     double argument, cl_mem sums, cl_mem state);
SinoStatus sino_update_collect_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem part, bool first, cl_mem total);
SinoStatus sino_update_start_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                    const SinoHistory *history, cl_mem residual);
SinoStatus sino_update_record_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                     const SinoHistory *history, cl_mem residual, cl_mem active);

#endif
