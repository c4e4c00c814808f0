/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh on a GPU: sino_cone_weigh, to rounding, with its arrays in device memory, aligned to 16 bytes.
 * cuda_stream.h gives the contract of launchers. */
#ifndef SINO_CONE_WEIGH_CUDA_H
#define SINO_CONE_WEIGH_CUDA_H

#include "cone_weigh.h"
#include "cuda_stream.h"

SinoStatus sino_cone_weigh_cuda(cudaStream_t stream, const SinoCone *cone, int64_t angle_count, SinoSlices rows,
                                int64_t first_row, const float *ray_weight, const float *sinogram, float *weighed);

#endif
