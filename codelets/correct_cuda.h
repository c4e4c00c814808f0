/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: the functions of correct.h, where all arrays are in device memory, the correction's `place` too
 * (cuda_stream.h says what launchers promise). Computed in double; gaps are interpolated between values as they are
 * stored. `workspace`, on 16 bytes, has sino_correct_cuda_workspace_bytes; nothing stays in it. */
#ifndef SINO_CORRECT_CUDA_H
#define SINO_CORRECT_CUDA_H

#include "correct.h"
#include "cuda_stream.h"

int64_t sino_correct_cuda_workspace_bytes(const SinoCorrection *correction);

SinoStatus sino_correct_cuda(cudaStream_t stream, const SinoCorrection *correction, const void *counts,
                             const float *flat, const float *dark, void *sinogram, int64_t *repaired, void *workspace);

SinoStatus sino_fields_mean_cuda(cudaStream_t stream, int64_t field_count, int64_t pixel_count, const float *fields,
                                 float *result);
SinoStatus sino_fields_median_cuda(cudaStream_t stream, int64_t field_count, int64_t pixel_count, const float *fields,
                                   float *result);

#endif
