/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM on a GPU: the function of bsrem.h, with everything but the first argument in device memory. cuda_stream.h gives
 * the contract of launchers. */
#ifndef SINO_BSREM_CUDA_H
#define SINO_BSREM_CUDA_H

#include "bsrem.h"
#include "cuda_stream.h"

SinoStatus sino_bsrem_voxels_cuda(cudaStream_t stream, const SinoBsrem *bsrem, const uint32_t *column,
                                  const uint32_t *place, const float *kappa, const float *weight,
                                  const SinoSliceState *state, const float *x, float *g);

#endif
