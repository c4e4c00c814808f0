/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM with the array of a caller in place of x (strided.h): a few tiles are copied and multiplied, then the next ones,
 * so that copies of tiles stay in the caches. */
#pragma once

#include "spmm.h"
#include "strided.h"

/* The tiles that are copied at a time, of a partition of a decomposition: those of a super-tile in all orientations. */
enum { SINO_SPMM_ARRAY_TILES = SINO_SUPER_TILE * SINO_SUPER_TILE * SINO_ORIENTATIONS };

/* Bytes of x, memory for the copies. */
int64_t sino_spmm_array_bytes(SinoSlices slices);

/* y = A·images of the block's tiles, in single or double, with the bits of sino_strided_take_tiles and
 * sino_spmm_project. x: sino_spmm_array_bytes; the other arguments are theirs. False: as of sino_strided_take_tiles. */
bool sino_spmm_project_array(const void *block, const SinoStridedTiles *tiles, void *x, void *y, void *scratch);

/* images = Aᵀ y, with the bits of sino_spmm_backproject_rows and sino_strided_give_tiles; rows.row NULL: of
 * sino_spmm_backproject. */
void sino_spmm_backproject_array(const void *block, SinoSpmmRows rows, const void *y, const SinoStridedTiles *tiles,
                                 void *x, void *scratch);
