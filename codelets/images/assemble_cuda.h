/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble on a GPU: sino_assemble of assemble.h, bit for bit, with x, the images and assemble->tile in device memory.
 * cuda_stream.h gives the contract of launchers. */
#ifndef SINO_ASSEMBLE_CUDA_H
#define SINO_ASSEMBLE_CUDA_H

#include "assemble.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_assemble_cuda(cudaStream_t stream, const SinoAssemble *assemble, const void *x, float *image);

#endif
