/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: sino_correct with all arrays in device memory, including correction->place and flat_at.
 * cuda_stream.h gives the contract of launchers. Arithmetic is double; gaps are interpolated between the stored values.
 * `workspace`: sino_correct_cuda_workspace_bytes, aligned to 16 bytes; it holds nothing between calls. */
#ifndef SINO_CORRECT_CUDA_H
#define SINO_CORRECT_CUDA_H

#include "arithmetic.h"
#include "correct.h"
#include "cuda_stream.h"

static inline int64_t sino_correct_cuda_workspace_bytes(const SinoCorrection *correction)
{
    const int64_t slices = correction->slices.slice_count;
    return 2 * slices * (int64_t)sizeof(double) +
           sino_times(sino_times(correction->angle_count, slices), (int64_t)sizeof(int32_t));
}

SinoStatus sino_correct_cuda(cudaStream_t stream, const SinoCorrection *correction, const void *counts,
                             const float *flat, const float *dark, void *sinogram, int64_t *repaired, int64_t *tally,
                             void *workspace);

/* Images that are made on the device, some angles at a time, as SinoCorrection.image makes them one by one. */
typedef struct SinoImagesCuda {
    int64_t angle_count; /* that `make` makes at a time, at most */
    /* images: counts of `count` angles from `first` on, [count][row_count][column_count] in device memory; valid in the
     * stream until the next call. `of`: host memory. */
    SinoStatus (*make)(void *of, cudaStream_t stream, int64_t first, int64_t count, const void **images);
    void *of; /* not owned */
} SinoImagesCuda;

/* sino_correct_cuda of images in place of counts, without flat fields. */
SinoStatus sino_correct_images_cuda(cudaStream_t stream, const SinoCorrection *correction, const SinoImagesCuda *images,
                                    void *sinogram, int64_t *repaired, int64_t *tally, void *workspace);

#endif
