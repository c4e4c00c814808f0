/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: the system matrix A of one partition times F interleaved slices, both directions from one block (block.h).
 *
 * Vectors lie in panels (panel.h): x has tile_count·T² rows, y the footprint's ray_count; F is padded to the stride.
 * Their elements by the block's precision, `from` being the vector that is read, `to` the one that is written:
 *
 *     double  double both        half   half both; sums over a section's rays or voxels are single
 *     single  single both        mixed  from is half, to is single, and so are all sums
 */
#ifndef SINO_SPMM_H
#define SINO_SPMM_H

#include "block.h"

/* The instruction set in use: "plain", "avx2" or "avx512". */
const char *sino_spmm_isa_name(void);

/* Bytes of the vectors' elements. */
size_t sino_spmm_from_bytes(SinoPrecision precision);
size_t sino_spmm_to_bytes(SinoPrecision precision);

/* Bytes of the scratch memory of one call. */
int64_t sino_spmm_scratch_bytes(void);

/* y = A x. unit[stride]: x holds shares of unit, a power of two for each slice: y is A x for mixed, and in the same
 * unit as x for half. NULL: 1; not for other precisions. */
void sino_spmm_project(const void *block, int64_t stride, const void *x, const float *unit, void *y, void *scratch);

/* x = Aᵀ y; unit is that of y. */
void sino_spmm_backproject(const void *block, int64_t stride, const void *y, const float *unit, void *x, void *scratch);

#endif
