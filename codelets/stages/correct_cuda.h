/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: sino_correct with all arrays in device memory, including correction->place and flat_at.
 * cuda_stream.h gives the contract of launchers. Arithmetic is double; gaps are interpolated between the stored values.
 * `workspace`: sino_correct_cuda_workspace_bytes, aligned to 16 bytes; it holds nothing between calls. */
#pragma once

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

/* What makes images takes scratch memory: arrays begin at multiples of so many bytes; approximate size of the arrays of
 * the angles that are made together, which caches may hold. */
enum { SINO_IMAGES_ALIGNED = 64, SINO_IMAGES_BATCH_BYTES = 16 << 20 };

/* Takes an array of scratch memory. */
static inline void *sino_images_take(char **scratch, int64_t bytes)
{
    char *const at = *scratch;
    *scratch += sino_ceil_multiple(bytes, SINO_IMAGES_ALIGNED);
    return at;
}

/* sino_correct_cuda of images in place of counts, without flat fields. */
SinoStatus sino_correct_images_cuda(cudaStream_t stream, const SinoCorrection *correction, const SinoImagesCuda *images,
                                    void *sinogram, int64_t *repaired, int64_t *tally, void *workspace);
