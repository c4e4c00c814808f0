/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz: the normal operator AᵀA of a parallel beam as a convolution, by FFT, and Aᵀ by a nonuniform FFT (S. Kumar
 * et al., tomoCAM, arXiv 2603.28756, have the idea). No part of A is stored.
 *
 * The discretisation. A voxel is a unit square, whose projection at the angle θ has the Fourier transform
 *
 *     f(ω, θ) = sinc(ω cosθ/2) · sinc(ω sinθ/2),   sinc(t) = sin(t)/t
 *
 * A slice with the voxels x_v at (x, y)_v has, at the column c of a detector of D ≥ 2·max(M, N) columns, the projection
 *
 *     p_θ(c) = 1/D Σ_m f(ω_m, θ) Σ_v x_v exp(iω_m (c − center − x_v cosθ − y_v sinθ)),   ω_m = 2πm/D, |m| < D/2
 *
 * that is the projection of its squares, limited to the frequencies that columns can hold. The M measured columns are
 * columns 0 … M − 1; the data of all others are 0, so that the object must lie within the detector. The other columns
 * are what makes AᵀA a convolution, (AᵀA)_uv = T(u − v), for any center:
 *
 *     T(x, y) = 1/D Σ_θ Σ_m f(ω_m, θ)² cos(ω_m (x cosθ + y sinθ))
 *
 * T is computed once in double. A product is an FFT of L ≥ 2N − 1 points a side, of which neither the rows of zeros
 * before nor those that are not wanted after are computed. */
#ifndef SINO_TOEPLITZ_H
#define SINO_TOEPLITZ_H

#include "geometry.h"
#include "panel.h"
#include "status.h"

/* Where the tile (row, column) of the grid of tiles (trace.h) is: tile `number` of `part`. part < 0: beyond the grid.
 */
typedef struct SinoToeplitzTile {
    int32_t part, number;
} SinoToeplitzTile;

/* The tiles of a slice in voxel vectors of several parts. Nothing is owned. */
typedef struct SinoToeplitzMap {
    const SinoToeplitzTile *tile; /* [row][column] of sino_tile_side(N)² */
    const int64_t *part_rows;     /* [part]: voxels of its vectors */
} SinoToeplitzMap;

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

/* The side L of the FFT. */
int64_t sino_toeplitz_side(int64_t grid_size);

/* Flops of the FFTs of a product, for one slice. */
double sino_toeplitz_flops(int64_t grid_size);

/* y = AᵀA x, of `slices` in single precision. x[part], y[part]: voxel vectors in panels (panel.h) with rows in the
 * order of their tiles, row after row; voxels beyond the grid are not read, and become 0; NULL: a part without voxels.
 * A slice's result does not depend on the other slices, to the last bit, nor on parts. */
void sino_toeplitz_product(const SinoToeplitz *toeplitz, const SinoToeplitzMap *map, SinoSlices slices,
                           const float *const *x, void *scratch, float *const *y);

/* x = Aᵀ b: b[ray k·M + c] in panels, with angles in the order of the geometry. */
void sino_toeplitz_adjoint(const SinoToeplitz *toeplitz, const SinoToeplitzMap *map, SinoSlices slices, const float *b,
                           void *scratch, float *const *x);

#endif
