/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick pack: makes a block of bricks (brick.h) from rows that arrive in ranges. The memory in use is what is finished
 * of the block, and work memory for one band of rows. */
#pragma once

#include "brick.h"

/* The bytes of a block of so many rows and nonzeros, at most: what a caller reserves (sino_reserve). Saturates at 2⁵⁹.
 */
int64_t sino_brick_bytes_most(int64_t row_count, int64_t nonzero_count);

typedef struct SinoBrickPacker SinoBrickPacker;

/* Begins a block of row_count rows of a matrix in this order, which must have tiles and is not owned. Precision:
 * SINO_SINGLE or SINO_MIXED. `block`: `capacity` bytes, aligned to 64. SINO_FAILED: no memory. */
SinoStatus sino_brick_packer_new(const SinoBrickOrder *order, SinoPrecision precision, int64_t row_count, void *block,
                                 int64_t capacity, SinoBrickPacker **packer);

/* Appends the next rows; first_row is not looked at. The rows of all calls together are the block's row_count rows.
 * SINO_BAD_INPUT: a column is not below column_count, or a value is negative, infinite or NaN; the text names the row.
 * SINO_FAILED: no memory, or the capacity is too small. */
SinoStatus sino_brick_pack_rows(SinoBrickPacker *packer, const SinoSparseRows *rows);

/* Ends the block: packs the rows that are left and writes the head. *bytes: of the block. Errors as above. */
SinoStatus sino_brick_pack_end(SinoBrickPacker *packer, int64_t *bytes);

void sino_brick_packer_free(SinoBrickPacker *packer); /* takes NULL */

/* A block of all of these rows in memory of its own (sino_allocate_large; the caller calls sino_free_large). */
SinoStatus sino_brick_pack(const SinoBrickOrder *order, SinoPrecision precision, const SinoSparseRows *rows,
                           SinoBrickHead **block);
