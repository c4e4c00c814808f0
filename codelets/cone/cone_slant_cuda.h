/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone slant on a GPU: the part of cone_project_cuda.cu that projections whose detector columns lean have
 * (sino_cone_stand_up). */
#pragma once

#include "cone_project.h"
#include "cuda_stream.h"
#include "status.h"

/* Ray number `ray` of the pixels that have as many. back: from rays to voxels. *first: the sums count as 0 before; of
 * voxels it becomes false when they are written; of rays it counts for ray 0. The counts of the cone are 31-bit. */
SinoStatus sino_cone_slant_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                                int64_t ray, bool back, bool *first, const float *from, float *to);
