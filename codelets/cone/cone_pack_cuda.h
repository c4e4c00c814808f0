/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack on a GPU: sino_cone_pack, bit for bit, with sinogram, scratch, line and unit in device memory, aligned to
 * 16 bytes. cuda_stream.h gives the contract of launchers. */
#ifndef SINO_CONE_PACK_CUDA_H
#define SINO_CONE_PACK_CUDA_H

#include "cone_pack.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_cone_pack_cuda(cudaStream_t stream, const SinoConePacking *packing, const float *sinogram,
                               void *scratch, void *line, float *unit);

#endif
