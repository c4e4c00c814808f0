/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast on a GPU: the functions of cast.h, bit for bit, with vectors and units in device memory, aligned to 16 bytes.
 * cuda_stream.h gives the contract of launchers. */
#ifndef SINO_CAST_CUDA_H
#define SINO_CAST_CUDA_H

#include "cast.h"
#include "cuda_stream.h"
#include "status.h"

SinoStatus sino_cast_units_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x, int exponent,
                                bool first, bool last, SinoUnits *units);

SinoStatus sino_cast_narrow_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x,
                                 const SinoUnits *units, SinoHalf *to);

SinoStatus sino_cast_widen_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const SinoHalf *x,
                                const SinoUnits *units, float *to);

#endif
