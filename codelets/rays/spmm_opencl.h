/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on an OpenCL device: the functions of spmm.h from gather lists with R = 4 (gather.h), with buffers of the
 * device. Functions launch kernels, and do not wait for them. `header`: a copy of the lists' header in main memory.
 * `units`: SinoCastUnits of the vector that is read, for half and mixed precision; NULL otherwise. */
#pragma once

#include "gather.h"
#include "opencl_device.h"

SinoStatus sino_spmm_project_opencl(SinoOpencl *opencl, const SinoGatherHeader *header, cl_mem lists, int64_t stride,
                                    cl_mem x, cl_mem units, cl_mem y);
SinoStatus sino_spmm_backproject_opencl(SinoOpencl *opencl, const SinoGatherHeader *header, cl_mem lists,
                                        int64_t stride, cl_mem y, cl_mem units, cl_mem x);
