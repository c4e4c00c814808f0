/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels on a GPU: functions of brick_voxels.h, bit for bit, with vectors in device memory, aligned to 16 bytes.
 * cuda_stream.h gives the contract of launchers. */
#ifndef SINO_BRICK_VOXELS_CUDA_H
#define SINO_BRICK_VOXELS_CUDA_H

#include "brick_voxels.h"
#include "cuda_stream.h"
#include "status.h"

/* to = 0. */
SinoStatus sino_voxels_clear_cuda(cudaStream_t stream, int64_t count, float *to);

SinoStatus sino_voxels_add_cuda(cudaStream_t stream, int64_t count, const float *from, float *to);
SinoStatus sino_voxels_mask_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *mask,
                                 const float *from, float *to);

#endif
