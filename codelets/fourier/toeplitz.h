/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz: the normal operator AᵀA of a parallel beam as a convolution, by FFT (S. Kumar et al., tomoCAM, arXiv
 * 2603.28756, have the idea). No part of A is stored. A is that of gridding.h, for all D columns of its detector, of
 * which those that are not measured are 0, so that the object must lie within the measured ones. Therefore
 * (AᵀA)_uv = T(u − v), for any center:
 *
 *     T(x, y) = 1/D Σ_θ Σ_m f(ω_m, θ)² cos(ω_m (x cosθ + y sinθ))
 *
 * T is computed once in double. A product is an FFT of L ≥ 2N − 1 points a side, of which neither the rows of zeros
 * before nor those that are not wanted after are computed. */
#pragma once

#include "geometry.h"
#include "status.h"
#include "tile_rows.h"

/* The operator of one scan. Create and free on one thread at a time, while no other thread uses FFTW's planner; many
 * threads may use one at once. geometry->angle_rad is not owned and outlives the operator. SINO_FAILED: no memory, or
 * FFTW makes no plan. */
typedef struct SinoToeplitz SinoToeplitz;
SinoStatus sino_toeplitz_new(const SinoGeometry *geometry, SinoToeplitz **toeplitz);
void sino_toeplitz_free(SinoToeplitz *toeplitz); /* takes NULL */

/* Bytes that the operator keeps; that building it takes beside them; and of the scratch memory of a call, 64-byte
 * aligned. */
int64_t sino_toeplitz_bytes(const SinoGeometry *geometry);
int64_t sino_toeplitz_building_bytes(const SinoGeometry *geometry);
int64_t sino_toeplitz_scratch_bytes(const SinoGeometry *geometry);

/* An upper bound of the largest eigenvalue of AᵀA: the largest sum of absolute values of a row. T falls with the
 * distance, so that it is the row of a voxel in the middle, with at most N/2 voxels to each side. */
double sino_toeplitz_norm(const SinoToeplitz *toeplitz);

/* The spectrum of AᵀA, sino_toeplitz_bytes bytes, 64-byte aligned: [column frequency 0 … L/2][row frequency], 1/L²
 * included. */
const float *sino_toeplitz_spectrum(const SinoToeplitz *toeplitz);

/* The side L of the FFT. */
int64_t sino_toeplitz_side(int64_t grid_size);

/* Flops of the FFTs of a product, for one slice. */
double sino_toeplitz_flops(int64_t grid_size);

/* y = AᵀA x, of `slices` in single precision. x[part], y[part]: voxel vectors in panels (panel.h) with rows in the
 * order of their tiles, row after row; voxels beyond the grid are not read, and become 0; NULL: a part without voxels.
 * A slice's result does not depend on the other slices, to the last bit, nor on parts. */
void sino_toeplitz_product(const SinoToeplitz *toeplitz, const SinoTileMap *map, SinoSlices slices,
                           const float *const *x, void *scratch, float *const *y);
