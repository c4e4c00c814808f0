/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble on a GPU: the function of assemble.h, where x, the images and the tiles' places are in device memory
 * (cuda_stream.h says what launchers promise). The same images to the bit. */
#ifndef SINO_ASSEMBLE_CUDA_H
#define SINO_ASSEMBLE_CUDA_H

#include "assemble.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_assemble_cuda(cudaStream_t stream, const SinoAssemble *assemble, const void *x, float *image);

#endif
