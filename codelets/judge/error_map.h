/* SPDX-License-Identifier: BSD-3-Clause */
/* Error map: the error of each voxel of a slice, by slices a and b of independent halves of its projections.
 *
 *     error(v) = √(Σ g(v − u) (a(u) − b(u))²/2 / Σ g(v − u)),   g: a Gaussian with a deviation of 3 voxels
 *
 * Its root mean square is the error of halves (compare.h), up to the edges of the slice. */
#pragma once

#include "status.h"

#include <stdint.h>

/* a, b, map: [height][width]; map may be a. The Gaussian ends after 9 voxels along each axis. u: voxels of the slice
 * that are finite in both; NaN: there are none. SINO_FAILED: no memory. */
SinoStatus sino_error_map(int64_t height, int64_t width, const float *a, const float *b, float *map);
