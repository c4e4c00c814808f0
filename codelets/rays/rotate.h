/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate: y = A x and x = Aᵀ y of a parallel beam without a matrix. To project at an angle, the image is sampled on a
 * grid that is turned by the angle, and the samples are summed along the rays (the rotation-based projector of TomoPy
 * and of NERSC's case study of its port to GPUs).
 *
 * The samples of ray s = column − center lie at (x, y) = (s·cos θ − t·sin θ, s·sin θ + t·cos θ), where t runs over the
 * whole numbers, or over the halves between them if the side of the grid is even. Their distance is the side of a
 * voxel, so that their sum is a line integral in units of Siddon's lengths. A sample is interpolated between voxels:
 *
 *     nearest   the voxel whose square contains the sample
 *     linear    4 voxels, weights (1 − |u|)(1 − |v|) of the distances along columns and rows
 *     cubic     16 voxels, by R. Keys' kernel with a = −1/2 (IEEE Trans. ASSP 29, 1153, 1981)
 *
 * Voxels outside the grid are 0, and take no part in backprojection. Backprojection scatters with the same weights:
 * both functions take them from one list of samples, so that <A x, y> = <x, Aᵀ y> to the rounding of sums. Positions
 * are multiples of 2⁻²⁴ voxel, computed in double, and the same for all tiles and instruction sets. */
#pragma once

#include "geometry.h"
#include "panel.h"
#include "projector.h"
#include "trace.h"

typedef struct SinoRotate {
    SinoGeometry geometry; /* of y: angle k, column c is row k·M + c; angle_rad is not owned */
    SinoInterpolation interpolation;
    SinoSlices slices;                /* single precision */
    int64_t first_angle, angle_count; /* the angles whose rays take part */
    int64_t tile_count;               /* x has tile_count·T² rows */
    const SinoTilePlace *tile;        /* not owned */
} SinoRotate;

enum { SINO_ROTATE_BITS = 24 /* positions are integers in units of 2^−SINO_ROTATE_BITS voxel */ };

/* Bytes of work memory of a call, of any content. */
int64_t sino_rotate_scratch_bytes(void);

/* Adds A x of the tiles to the rows of the angles in y: all vectors lie in panels (panel.h). Safe from many threads at
 * once for different angles. */
void sino_rotate_project(const SinoRotate *what, const float *x, void *scratch, float *y);

/* Adds Aᵀ y of the angles to x. Safe from many threads at once for different tiles. */
void sino_rotate_back(const SinoRotate *what, const float *y, void *scratch, float *x);

/* The instruction set that is used: plain, avx2 or avx512. */
const char *sino_rotate_isa_name(void);
