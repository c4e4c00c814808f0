/* SPDX-License-Identifier: BSD-3-Clause */
/* Air on a GPU: sino_air_normalise with the sinogram and `place` in device memory. cuda_stream.h gives the contract of
 * launchers. Means and the line between them are double; the logarithm that is added to a sinogram in single precision
 * is single, too. A slice's result does not depend on the others. */
#ifndef SINO_AIR_CUDA_H
#define SINO_AIR_CUDA_H

#include "air.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_air_normalise_cuda(cudaStream_t stream, const SinoAir *air, SinoSlices slices, const int64_t *place,
                                   void *sinogram);

#endif
