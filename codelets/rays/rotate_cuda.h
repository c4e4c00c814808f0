/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on a GPU: the functions of rotate.h, to the rounding of sums, with vectors and tables in device memory.
 * Samples and weights are those of the CPU. Kernels read `tables` in place of what->tile and what->geometry.angle_rad,
 * which launchers read in main memory. cuda_stream.h gives the contract of launchers. */
#ifndef SINO_ROTATE_CUDA_H
#define SINO_ROTATE_CUDA_H

#include "cuda_stream.h"
#include "rotate_tables.h"
#include "status.h"

/* With `fresh` what was in the rays of the angles, or in the voxels, counts as 0, and need not be finite. */
SinoStatus sino_rotate_project_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                    bool fresh, const float *x, float *y);
SinoStatus sino_rotate_back_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                 bool fresh, const float *y, float *x);

#endif
