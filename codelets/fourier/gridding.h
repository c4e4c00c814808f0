/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding: Aᵀ of a parallel beam by a nonuniform FFT (polar_grid.h), in O(N² log N) operations. No part of A is
 * stored. Filtered data become a tomogram so (J. D. O'Sullivan, IEEE Trans. Med. Imaging 4, 200 (1985)).
 *
 * A voxel is a unit square, whose projection at the angle θ has the Fourier transform
 *
 *     f(ω, θ) = sinc(ω cosθ/2) · sinc(ω sinθ/2),   sinc(t) = sin(t)/t
 *
 * A slice with the voxels x_v at (x, y)_v has, at the column c of a detector of D ≥ 2·max(M, N) columns, the projection
 *
 *     p_θ(c) = 1/D Σ_m f(ω_m, θ) Σ_v x_v exp(iω_m (c − center − x_v cosθ − y_v sinθ)),   ω_m = 2πm/D, |m| < D/2
 *
 * that is the projection of its squares, limited to the frequencies that columns can hold. Aᵀ is the transpose of this
 * for the M measured columns 0 … M − 1. */
#pragma once

#include "geometry.h"
#include "status.h"
#include "tile_rows.h"

/* Aᵀ of one scan. Create and free on one thread at a time, while no other thread uses FFTW's planner; many threads may
 * use one at once. geometry->angle_rad is not owned and outlives the object. SINO_FAILED: no memory, or FFTW makes no
 * plan. */
typedef struct SinoGridding SinoGridding;
SinoStatus sino_gridding_new(const SinoGeometry *geometry, SinoGridding **gridding);
void sino_gridding_free(SinoGridding *gridding); /* takes NULL */
const SinoGeometry *sino_gridding_geometry(const SinoGridding *gridding);

/* D. A ray has the terms m = 0 … D/2 − 1. */
int64_t sino_gridding_detector(const SinoGeometry *geometry);

/* Bytes of the scratch memory of a call, 64-byte aligned. */
int64_t sino_gridding_scratch_bytes(const SinoGeometry *geometry);

/* Flops for one slice: of its FFTs, and of spreading the terms of all rays. */
double sino_gridding_flops(const SinoGeometry *geometry);

/* x = Aᵀ b, of `slices` in single precision. b[ray k·M + c] in panels (panel.h), with angles in the order of the
 * geometry. x[part]: voxel vectors in panels with rows in the order of their tiles, row after row; voxels beyond the
 * grid become 0; NULL: a part without voxels. A slice's result does not depend on the other slices, to the last bit,
 * nor on parts. */
void sino_gridding_adjoint(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, const float *b,
                           void *scratch, float *const *x);

/* The same in parts, with the same bits. sino_gridding_add adds angles first_angle … first_angle + angle_count − 1,
 * whose rays b are, to the sums of every slice: slices.stride times sino_gridding_sum_bytes, 64-byte aligned. The first
 * angles are 0 …, before which the sums may be anything. Numbers of angles are even, unless the last angle is among
 * them. sino_gridding_finish makes x of the sums, which it changes. */
int64_t sino_gridding_sum_bytes(int64_t grid_size);
void sino_gridding_add(const SinoGridding *gridding, SinoSlices slices, int64_t first_angle, int64_t angle_count,
                       const float *b, void *scratch, void *sums);
void sino_gridding_finish(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, void *scratch,
                          void *sums, float *const *x);
