/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation on a GPU: the functions of variation.h. Vectors, states, variation->tile and variation->neighbour are in
 * device memory, vectors aligned to 16 bytes; variation->first_tile and the arrays of the parts' vectors are in host
 * memory. cuda_stream.h gives the contract of launchers.
 *
 * The addresses of all parts go to the kernel as arguments, so there are at most SINO_VARIATION_CUDA_PARTS of them. */
#ifndef SINO_VARIATION_CUDA_H
#define SINO_VARIATION_CUDA_H

#include "cuda_stream.h"
#include "variation.h"

enum { SINO_VARIATION_CUDA_PARTS = 16 };

SinoStatus sino_variation_primal_cuda(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                      const void *const *p, const void *const *q, const SinoSliceState *state, void *u);
SinoStatus sino_variation_dual_cuda(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                                    const SinoSliceState *state, void *p, void *q);
SinoStatus sino_variation_primal_volume_cuda(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                             const void *const *p, const void *const *q, const void *r,
                                             const void *before, const SinoSliceState *state, void *u);
SinoStatus sino_variation_dual_volume_cuda(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                                           const void *after, const SinoSliceState *state, void *p, void *q, void *r);

#endif
