/* SPDX-License-Identifier: BSD-3-Clause */
/* Polar grid: sums of exponentials whose frequencies lie along rays from the origin, on a square of pixels (a
 * nonuniform FFT of type 1):
 *
 *     v(row, column) = Re Σ_k c_k · exp(i·(row − S/2)·ρ_k + i·(column − S/2)·κ_k),   |ρ_k|, |κ_k| ≤ π
 *
 * for rows and columns 0 … S − 1 (S/2 rounded down). Each frequency is spread on a grid of G ≥ 2S points a side by a
 * Kaiser-Bessel window of 8 points (P. Beatty, D. Nishimura, J. Pauly, IEEE Trans. Med. Imaging 24, 799 (2005)), an FFT
 * sums, and the window's transform is divided out. Only columns of frequencies κ ≥ 0 are stored. The error is below
 * 10⁻⁶ of Σ|c_k|, plus rounding. */
#pragma once

#include "panel.h"
#include "status.h"

#include <stdint.h>

enum { SINO_POLAR_ROWS = 16 }; /* rows that are finished together, at most */

/* A square of S × S pixels, in single or double precision. Create and free on one thread at a time, while no other
 * thread uses FFTW's planner; many threads may use one square at once, each with sums of its own. SINO_FAILED: no
 * memory, or FFTW makes no plan. */
typedef struct SinoPolarGrid SinoPolarGrid;
SinoStatus sino_polar_grid_new(int64_t size, SinoPrecision precision, SinoPolarGrid **grid);
void sino_polar_grid_free(SinoPolarGrid *grid); /* takes NULL */

/* Sums of one transform, or of SINO_POLAR_LANES transforms at the same frequencies, which are lanes of vectors.
 * sino_polar_grid_sum_bytes: bytes for each transform; row_bytes: of the rows that are finished together; both are
 * 64-byte aligned. A transform does not depend on the others, to the last bit, nor on their number. */
enum { SINO_POLAR_LANES = 4 };
int64_t sino_polar_grid_sum_bytes(int64_t size, SinoPrecision precision);
int64_t sino_polar_grid_row_bytes(int64_t size, SinoPrecision precision);

/* Sets the sums to 0. */
void sino_polar_grid_clear(const SinoPolarGrid *grid, int64_t lanes, void *sums);

/* Adds the terms k = 0 … count − 1 of one ray: ρ_k = k·row_step, κ_k = k·column_step. strength[k][lane]: c_k, a complex
 * number of the precision. */
void sino_polar_grid_add(const SinoPolarGrid *grid, int64_t lanes, double row_step, double column_step, int64_t count,
                         const void *strength, void *sums);

/* Flops of a transform with `terms` terms. */
double sino_polar_grid_flops(int64_t size, double terms);

/* Transforms the sums along rows, once all terms are added. `rows`: scratch memory of sino_polar_grid_row_bytes. */
void sino_polar_grid_transform(const SinoPolarGrid *grid, int64_t lanes, void *sums, void *rows);

/* After the transform: the values of `count` ≤ SINO_POLAR_ROWS rows of a lane from `first_row` on. Value (row r, column
 * c) is element (r − first_row)·sino_polar_grid_stride + c of the returned array, which is in `rows`. */
int64_t sino_polar_grid_stride(const SinoPolarGrid *grid);
void *sino_polar_grid_finish(const SinoPolarGrid *grid, int64_t lanes, int64_t lane, const void *sums,
                             int64_t first_row, int64_t count, void *rows);

/* The grid, for GPUs. sino_polar_grid_points: G. sino_polar_grid_inverse: inverse[j], 1/transform of the window
 * at pixel j of S, in one direction. sino_polar_grid_window: the polynomial in s = 1 − (t/4)² that is the window at the
 * distance t from its middle, in points, to 10⁻⁹ of its largest value, 1; coefficient[0] is the highest power's. */
enum { SINO_POLAR_TAPS = 8, SINO_POLAR_POWERS = 15 };
int64_t sino_polar_grid_points(int64_t size);
void sino_polar_grid_inverse(int64_t size, float *inverse);
void sino_polar_grid_window(float coefficient[SINO_POLAR_POWERS]);
