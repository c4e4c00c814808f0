/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior on a GPU: the functions of prior.h. Memory, and the most parts, as of variation_cuda.h. */
#ifndef SINO_PRIOR_CUDA_H
#define SINO_PRIOR_CUDA_H

#include "cuda_stream.h"
#include "prior.h"

SinoStatus sino_prior_descend_cuda(cudaStream_t stream, const SinoSmoothPrior *prior, const void *const *u,
                                   const SinoSliceState *state, void *z);
SinoStatus sino_prior_descend_volume_cuda(cudaStream_t stream, const SinoSmoothPrior *prior, const void *const *u,
                                          const void *before, const void *after, const SinoSliceState *state, void *z);

#endif
