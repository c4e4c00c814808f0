/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on devices: the tables that kernels read in place of the arrays of a SinoRotate, what their launchers compute
 * from these arrays, and the launchers. */
#pragma once

#include "cuda_stream.h"
#include "opencl_device.h"
#include "rotate.h"
#include "status.h"

/* Voxels along a row or column that a sample sees. */
static inline int sino_rotate_taps(SinoInterpolation interpolation)
{
    return interpolation == SINO_INTERPOLATION_NEAREST ? 1 : interpolation == SINO_INTERPOLATION_LINEAR ? 2 : 4;
}

/* Tables in the memory of a device. */
typedef struct SinoRotateTables {
    const double *turn;        /* [angle of the geometry][2]: cosine and sine */
    const SinoTilePlace *tile; /* SinoRotate.tile */
    const int32_t *number; /* [row of tiles][column of tiles]: place in SinoRotate.tile; −1: not one of these tiles */
} SinoRotateTables;

/* Elements of the tables. */
int64_t sino_rotate_turn_count(const SinoGeometry *geometry);
int64_t sino_rotate_number_count(int64_t grid_size);

/* Fill in tables in main memory. */
void sino_rotate_turns(const SinoGeometry *geometry, double *turn);
void sino_rotate_numbers(const SinoRotate *what, int32_t *number);

/* The smallest rectangle that contains the middles of the tiles' voxels, in voxels from the axis. */
typedef struct SinoRotateBox {
    double x, y;           /* of its middle */
    double half_x, half_y; /* half of its sides */
} SinoRotateBox;

/* Without tiles its sides are negative, so that no ray meets it. */
SinoRotateBox sino_rotate_box(const SinoRotate *what);

/* The functions of rotate.h on a GPU, to the rounding of sums, with vectors and tables in device memory
 * (cuda_stream.h). Samples and weights are those of the CPU. Kernels read `tables` in place of what->tile and
 * what->geometry.angle_rad, which launchers read in main memory. With `fresh` what was in the rays of the angles, or
 * in the voxels, counts as 0, and need not be finite. */
SinoStatus sino_rotate_project_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                    bool fresh, const float *x, float *y);
SinoStatus sino_rotate_back_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                 bool fresh, const float *y, float *x);

/* SinoRotateTables on the device. */
typedef struct SinoRotateOpenclTables {
    cl_mem turn, number, tile;
} SinoRotateOpenclTables;

/* The same on an OpenCL device (opencl_device.h). */
SinoStatus sino_rotate_project_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                      bool fresh, cl_mem x, cl_mem y);
SinoStatus sino_rotate_back_opencl(SinoOpencl *opencl, const SinoRotate *what, const SinoRotateOpenclTables *tables,
                                   bool fresh, cl_mem y, cl_mem x);
