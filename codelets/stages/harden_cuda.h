/* SPDX-License-Identifier: BSD-3-Clause */
/* Harden on a GPU: sino_harden with the sinogram in device memory. cuda_stream.h gives the contract of launchers. */
#ifndef SINO_HARDEN_CUDA_H
#define SINO_HARDEN_CUDA_H

#include "cuda_stream.h"
#include "harden.h"
#include "status.h"

SinoStatus sino_harden_cuda(cudaStream_t stream, const SinoHardening *hardening, int64_t ray_count, SinoSlices slices,
                            void *sinogram);

#endif
