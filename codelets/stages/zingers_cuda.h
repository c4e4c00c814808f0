/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers on a GPU: sino_zingers_remove with all arrays in device memory, including zingers->order. cuda_stream.h gives
 * the contract of launchers. The result has the bits of the CPU's. */
#ifndef SINO_ZINGERS_CUDA_H
#define SINO_ZINGERS_CUDA_H

#include "cuda_stream.h"
#include "zingers.h"

SinoStatus sino_zingers_remove_cuda(cudaStream_t stream, const SinoZingers *zingers, SinoSlices slices,
                                    const int64_t *place, void *sinogram, int64_t *undefined, int64_t *by_angle,
                                    int64_t *by_column);

#endif
