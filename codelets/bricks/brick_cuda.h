/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on a GPU: the products of brick.h, to rounding, from a block of bricks and its lists (brick_lists.h).
 * cuda_stream.h gives the contract of launchers.
 *
 * Every sum has a fixed order that the block alone determines: a result is the same to the bit in every run, on every
 * device, and whichever count sets share the panel. */
#pragma once

#include "brick_lists.h"
#include "cuda_stream.h"
#include "status.h"

/* What a product reads and uses. Nothing is owned. */
typedef struct SinoBrickProductCuda {
    const SinoBrickLists *lists;             /* in host memory; launchers read the head and the waves */
    const void *device_lists, *device_block; /* the same lists, and the block, aligned to 64 bytes */
    int64_t stride;                          /* of the vectors */
    void *work; /* device memory of sino_brick_cuda_work_bytes, aligned to 64 bytes, which holds nothing between calls;
                   NULL: project alone is called */
} SinoBrickProductCuda;

int64_t sino_brick_cuda_work_bytes(int64_t row_count, int64_t stride);

/* sino_brick_project and sino_brick_backproject, with vectors in device memory: x is aligned to 16 bytes, y, of which
 * a caller may give the rows from any on, to 4. */
SinoStatus sino_brick_project_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *x, float *y);
SinoStatus sino_brick_backproject_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *y,
                                       float *x);

/* sino_brick_sweep, likewise; the structure `counts` is in host memory, its vectors, aligned to 4 bytes, and
 * sums[stride] in the device's. */
SinoStatus sino_brick_sweep_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *x,
                                 const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums);
