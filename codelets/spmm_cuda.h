/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on a GPU: the products of spmm.h from gather lists (gather.h), one set for each direction. cuda_stream.h says
 * what launchers promise.
 *
 * Lists of R = 4 go to multiply-add units, any precision; lists of R = 16, half and mixed, to tensor cores, which
 * multiply the same halves and add in single as well. Both overwrite what they write, take units as spmm.h does, and
 * give the same bits in every run with the same device and stride. Half precision rounds what it writes once per
 * voxel; per ray, once for each time that the ray's row leaves shared memory. */
#ifndef SINO_SPMM_CUDA_H
#define SINO_SPMM_CUDA_H

#include "cuda_stream.h"
#include "gather.h"
#include "status.h"

/* What launches depend on: shared memory bounds how many slices a thread block takes, and when there are fewer blocks
 * than multiprocessors they take fewer. */
typedef struct SinoSpmmDevice {
    int64_t shared_bytes; /* a block's, at most */
    int multiprocessor_count;
} SinoSpmmDevice;

/* The current device's, to be asked for once. SINO_FAILED: CUDA does not tell. */
SinoStatus sino_spmm_cuda_device(SinoSpmmDevice *device);

/* A product: lists of the direction, and vectors of `stride` slices in panels of `panel_width` (panel.h). */
typedef struct SinoSpmmProductCuda {
    SinoSpmmDevice device;
    SinoGatherHeader header; /* a copy of the lists' */
    const void *lists;       /* on the device, on 128 bytes */
    int64_t panel_width, stride;
    const float *unit; /* on the device: of each slice of what is read; NULL: 1 */
} SinoSpmmProductCuda;

/* Vectors on the device, on 16 bytes: y = A x, and x = Aᵀ y. SINO_FAILED: CUDA refuses a launch, or a block's shared
 * memory is too small for one slice. */
SinoStatus sino_spmm_project_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *x, void *y);
SinoStatus sino_spmm_backproject_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *y, void *x);

#endif
