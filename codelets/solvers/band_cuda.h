/* SPDX-License-Identifier: BSD-3-Clause */
/* Band on a GPU: the functions of band.h. Vectors and the state are in device memory. cuda_stream.h gives the contract
 * of launchers. */
#ifndef SINO_BAND_CUDA_H
#define SINO_BAND_CUDA_H

#include "band.h"
#include "cuda_stream.h"

SinoStatus sino_band_primal_cuda(cudaStream_t stream, const SinoBand *band, const float *z, const float *p,
                                 const float *q, const float *r, const float *above, const SinoSliceState *state,
                                 float *u);
SinoStatus sino_band_dual_cuda(cudaStream_t stream, const SinoBand *band, const float *u, const float *below,
                               const SinoSliceState *state, float *p, float *q, float *r);
SinoStatus sino_band_descend_cuda(cudaStream_t stream, const SinoBand *band, const SinoSmoothPrior *prior,
                                  const float *u, const float *above, const float *below, const SinoSliceState *state,
                                  float *z);

#endif
