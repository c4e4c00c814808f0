/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: sino_correct, where all arrays are in device memory, the correction's `place` too (cuda_stream.h
 * says what launchers promise). Computed in double; gaps are interpolated between values as they are stored.
 * `workspace`, on 16 bytes, has sino_correct_cuda_workspace_bytes; nothing stays in it. */
#ifndef SINO_CORRECT_CUDA_H
#define SINO_CORRECT_CUDA_H

#include "correct.h"
#include "cuda_stream.h"

static inline int64_t sino_correct_cuda_workspace_bytes(const SinoCorrection *correction)
{
    return correction->angle_count * correction->slices.slice_count * (int64_t)sizeof(int32_t);
}

SinoStatus sino_correct_cuda(cudaStream_t stream, const SinoCorrection *correction, const void *counts,
                             const float *flat, const float *dark, void *sinogram, int64_t *repaired, void *workspace);

#endif
