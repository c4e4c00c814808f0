/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project: y = A x and x = Aᵀ y of a cone beam, or of any projections that have vectors (cone.h), without a
 * matrix.
 *
 * A is that of P. M. Joseph (IEEE Trans. Med. Imaging 1, 192, 1982). A ray is followed along x or y, whichever it is
 * nearer to. Where it passes the middles of a plane of voxels, the volume is interpolated linearly: between two
 * neighbours across, and between two along z. The sum over the planes, times the length of the ray from plane to plane,
 * is the line integral. Lengths are in voxel sides: line integrals of attenuation per voxel side have no unit. Voxels
 * around the volume are 0. Where voxels are smaller than pixels, a pixel has the mean of several rays
 * (sino_cone_pixel_rays).
 *
 * The rays of a detector column pass the same planes in the same places (x, y), and differ along z only. There,
 * neighbouring rows are at equal distances. So one step in x and y serves all rows, which run along vectors. Vectors
 * make such columns, too, if rows lie above each other along z, or, of parallel beams, if rows are level. The rays of
 * other vectors are computed one by one, four voxels in each plane; those nearest to z are followed along z.
 *
 * Both functions compute the weights of A from the same positions, in single precision to about 10⁻⁶ of a voxel.
 * Positions in x and y are double. Nothing but sums of products is rounded otherwise, so that <A x, y> = <x, Aᵀ y> to
 * the rounding of sums. */
#pragma once

#include "cone.h"
#include "cuda_stream.h"
#include "status.h"

/* Rows of the image, and all columns and slices of them: band[row][X][Z]. */
typedef struct SinoConeBand {
    int64_t first_row, row_count;
} SinoConeBand;

/* Rays of consecutive angles: rays[angle][column of the detector][row of the detector]. */
typedef struct SinoConeAngles {
    int64_t first, count;
} SinoConeAngles;

/* Bytes of work memory of a call; 64-byte aligned. */
int64_t sino_cone_project_scratch_bytes(const SinoCone *cone);

/* Adds what the rays see of the band's voxels to `rays`. Safe from many threads at once for different rays. */
void sino_cone_project(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const float *voxels,
                       void *scratch, float *rays);

/* The transpose: adds the values of the rays to the band's voxels. Safe from many threads at once for different bands;
 * the sums of a voxel do not depend on the bands. By a window (cone.h) each angle counts in its slices alone. */
void sino_cone_project_back(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const float *rays,
                            void *scratch, float *voxels);

/* The instruction set that is used: plain, avx2 or avx512. */
const char *sino_cone_project_isa_name(void);

/* On a GPU, with voxels and rays in device memory (cuda_stream.h). Weights are the CPU's to about 10⁻⁶ of a voxel, and
 * those of both functions are the same. Every sum has an owner that adds in a fixed order; a voxel's does not depend
 * on the band. `first`: the sums count as 0 before. SINO_BAD_INPUT: more than 2²⁹ runs of voxels in the band, or a
 * count of the cone that is larger. */
SinoStatus sino_cone_project_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                                  bool first, const float *voxels, float *rays);
SinoStatus sino_cone_project_back_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band,
                                       SinoConeAngles angles, bool first, const float *rays, float *voxels);
