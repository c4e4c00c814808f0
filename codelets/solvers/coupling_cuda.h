/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling on a GPU. Vectors are in device memory; cuda_stream.h gives the contract of launchers. */
#ifndef SINO_COUPLING_CUDA_H
#define SINO_COUPLING_CUDA_H

#include "coupling.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_coupling_edge_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, int64_t slice,
                                   const void *vector, void *edge);

#endif
