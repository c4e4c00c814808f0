/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on an OpenCL device: the functions of rotate.h, to the rounding of sums, with buffers of the device. Functions
 * launch kernels, and do not wait for them. Kernels read the tables in place of what->tile and
 * what->geometry.angle_rad, which the functions read in main memory. */
#ifndef SINO_ROTATE_OPENCL_H
#define SINO_ROTATE_OPENCL_H

#include "opencl_device.h"
#include "rotate_tables.h"

/* SinoRotateTables on the device. */
typedef struct SinoRotateOpenclTables {
    cl_mem turn, number, tile;
} SinoRotateOpenclTables;

/* With `fresh` what was in the rays of the angles, or in the voxels, counts as 0, and need not be finite. */
SinoStatus sino_rotate_project_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                      bool fresh, cl_mem x, cl_mem y);
SinoStatus sino_rotate_back_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                   bool fresh, cl_mem y, cl_mem x);

#endif
