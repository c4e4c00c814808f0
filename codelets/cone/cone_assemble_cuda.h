/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble on a GPU: sino_cone_assemble, bit for bit, with part and image in device memory. cuda_stream.h gives
 * the contract of launchers. */
#ifndef SINO_CONE_ASSEMBLE_CUDA_H
#define SINO_CONE_ASSEMBLE_CUDA_H

#include "cone_assemble.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_cone_assemble_cuda(cudaStream_t stream, const SinoConeAssembly *assembly, const float *part,
                                   float *image);

#endif
