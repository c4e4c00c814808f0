/* SPDX-License-Identifier: BSD-3-Clause */
/* View filter: weights and ramp filter of FDK (L. Feldkamp et al., J. Opt. Soc. Am. A 1, 612 (1984)) for a projection
 * that has vectors (view.h), before Aᵀ of cone_project.h backprojects it:
 *
 *     rays = weight · cosγ · ramp(share · cosγ · rays)
 *
 * with the share of each pixel of a line (those of a short scan rise at its ends, as D. Parker's do), with the angle γ
 * of a ray to the detector's normal, 0 of parallel rays, and the ramp along rows or columns. The second cosγ is that of
 * a ray's length in a voxel, which Aᵀ has and FDK has not. FDK's (D/depth)² is how densely Aᵀ has rays in a voxel. */
#pragma once

#include "filter.h"
#include "view.h"

/* Bytes of work memory of a call; 64-byte aligned. */
int64_t sino_view_filter_scratch_bytes(int64_t column_count, int64_t row_count);

/* In place: rays[column][row]. filter: of column_count values, as the rows have, or of row_count; in single precision.
 * share[pixel of a line]; NULL: 1. Undefined rays, −0, are what the filter fills them with. */
void sino_view_filter(const SinoFilter *filter, bool along_rows, const SinoView *view, int64_t column_count,
                      int64_t row_count, double weight, const float *share, void *scratch, float *rays);
