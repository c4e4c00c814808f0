/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on an OpenCL device: the functions of update.h with buffers of the device. They are launched, not waited for.
 * The history's residuals are in the buffer `residual`; its own pointer is not used. `active` gets the number of slices
 * that go on, an int64. */
#ifndef SINO_UPDATE_OPENCL_H
#define SINO_UPDATE_OPENCL_H

#include "opencl_device.h"
#include "update.h"

SinoStatus sino_update_sums_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem v, cl_mem w, bool first,
                                   cl_mem sums);
SinoStatus sino_update_collect_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem part, bool first, cl_mem total);
SinoStatus sino_update_start_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                    const SinoHistory *history, cl_mem residual);
SinoStatus sino_update_step_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state);
SinoStatus sino_update_residual_cg_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem q,
                                          cl_mem state, cl_mem r, cl_mem sums);
SinoStatus sino_update_residual_sirt_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t ray_count, cl_mem b,
                                            cl_mem row_weight, bool first, cl_mem w, cl_mem sums);
SinoStatus sino_update_record_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                     const SinoHistory *history, cl_mem residual, cl_mem active);
SinoStatus sino_update_direction_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, bool first, cl_mem state);
SinoStatus sino_update_voxels_cg_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t voxel_count, cl_mem g,
                                        cl_mem state, bool first, cl_mem g0, cl_mem d, cl_mem x);
SinoStatus sino_update_voxels_sirt_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t voxel_count, cl_mem g,
                                          cl_mem column_weight, cl_mem state, double relaxation, bool nonnegativity,
                                          bool first, cl_mem x);
SinoStatus sino_update_reciprocal_opencl(SinoOpencl *opencl, SinoPrecision precision, int64_t count, cl_mem value);
SinoStatus sino_update_fill_one_opencl(SinoOpencl *opencl, SinoPrecision precision, int64_t count, cl_mem value);

#endif
