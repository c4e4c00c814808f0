/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project on a GPU: sino_cone_project and sino_cone_project_back with voxels and rays in device memory.
 * cuda_stream.h gives the contract of launchers.
 *
 * Weights are the CPU's to about 10⁻⁶ of a voxel, and those of both functions are the same. Every sum has an owner that
 * adds in a fixed order; a voxel's does not depend on the band. */
#ifndef SINO_CONE_PROJECT_CUDA_H
#define SINO_CONE_PROJECT_CUDA_H

#include "cone_project.h"
#include "cuda_stream.h"
#include "status.h"

/* `first`: the sums count as 0 before. SINO_BAD_INPUT: more than 2²⁹ runs of voxels in the band, or a count of the cone
 * that is larger. */
SinoStatus sino_cone_project_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                                  bool first, const float *voxels, float *rays);
SinoStatus sino_cone_project_back_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band,
                                       SinoConeAngles angles, bool first, const float *rays, float *voxels);

#endif
