/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: the system matrix A of one partition times F interleaved slices, both directions from one block (block.h).
 *
 * Vectors lie in panels (panel.h) of the block's precision: x has tile_count·T² rows, y the footprint's ray_count. All
 * `stride` slices are computed; strides of sino_panel_stride are the fast ones. */
#ifndef SINO_SPMM_H
#define SINO_SPMM_H

#include "block.h"

/* The instruction set in use: "plain", "avx2" or "avx512". */
const char *sino_spmm_isa_name(void);

/* y = A x. */
void sino_spmm_project(const void *block, int64_t stride, const void *x, void *y);

/* x = Aᵀ y. */
void sino_spmm_backproject(const void *block, int64_t stride, const void *y, void *x);

#endif
