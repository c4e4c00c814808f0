/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: multiplies the system matrix A of one partition, or its transpose, by F interleaved slices; one block serves
 * both (block.h).
 *
 * Vectors lie in panels (panel.h): x has tile_count·T² rows, y has the footprint's ray_count rows; F is padded to the
 * stride. The block's precision determines the elements of `from`, the vector that is read, and `to`, the vector that
 * is written:
 *
 *     double  both double        half   both half; sums over a section's rays or voxels are single
 *     single  both single        mixed  from is half; to and all sums are single */
#pragma once

#include "block.h"

/* The instruction set in use: "plain", "avx2" or "avx512". */
const char *sino_spmm_isa_name(void);

/* Bytes per element of the vector that is read, and of the one that is written. */
size_t sino_spmm_from_bytes(SinoPrecision precision);
size_t sino_spmm_to_bytes(SinoPrecision precision);

/* Bytes of the scratch memory of one call. */
int64_t sino_spmm_scratch_bytes(void);

/* y = A x. unit[stride]: x holds shares of these units, one power of two per slice (cast.h). For mixed y is A x; for
 * half y has the same units as x. NULL: all units are 1. Single and double have no units. `scratch`:
 * sino_spmm_scratch_bytes. */
void sino_spmm_project(const void *block, int64_t stride, const void *x, const float *unit, void *y, void *scratch);

/* x = Aᵀ y; `unit` are the units of y. */
void sino_spmm_backproject(const void *block, int64_t stride, const void *y, const float *unit, void *x, void *scratch);

/* The rows of a vector that has more rays than the block's footprint: row i of the footprint is its row `row[i]`. */
typedef struct SinoSpmmRows {
    int64_t count;       /* rows of the vector */
    const uint32_t *row; /* [ray_count]; not owned */
} SinoSpmmRows;

/* x = Aᵀ y with y[rows.count], in single or double. The result has the bits of sino_spmm_backproject on a copy of the
 * footprint's rows. */
void sino_spmm_backproject_rows(const void *block, int64_t stride, SinoSpmmRows rows, const void *y, void *x,
                                void *scratch);
