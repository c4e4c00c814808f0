/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on a GPU: the products of spmm.h from gather lists (gather.h), one set per direction. cuda_stream.h gives the
 * contract of launchers.
 *
 * Lists of R = 4 run on multiply-add units, in any precision. Lists of R = 16, half and mixed, run on tensor cores,
 * which multiply the same halves and also add in single. Both overwrite their result, use units as spmm.h does, and
 * give the same bits in every run with the same device and stride. Half precision rounds a voxel once; it rounds a ray
 * each time that the ray's row is flushed from shared memory. */
#pragma once

#include "cuda_stream.h"
#include "gather.h"
#include "gather_choice.h"
#include "status.h"

/* Properties of the current device; ask once. SINO_FAILED: CUDA does not provide them. */
SinoStatus sino_spmm_cuda_device(SinoSpmmDevice *device);

/* One product: lists of its direction, and vectors of `stride` slices in panels of `panel_width` (panel.h). */
typedef struct SinoSpmmProductCuda {
    SinoSpmmDevice device;
    SinoGatherHeader header; /* copy of the lists' header */
    const void *lists;       /* device memory, aligned to 128 bytes */
    int64_t panel_width, stride;
    const float *unit; /* device memory: units of the slices of the vector that is read; NULL: 1 */
} SinoSpmmProductCuda;

/* y = A x, and x = Aᵀ y; vectors in device memory, aligned to 16 bytes. SINO_FAILED: CUDA refused a launch, or the
 * shared memory of a block is too small for one slice. */
SinoStatus sino_spmm_project_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *x, void *y);
SinoStatus sino_spmm_backproject_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *y, void *x);
