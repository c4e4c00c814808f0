/* SPDX-License-Identifier: BSD-3-Clause */
/* Tile rows: rows of a slice, out of the tiles of its voxel vectors and back, for methods that see a slice whole. */
#pragma once

#include "panel.h"
#include "trace.h"

/* Where the tile (row, column) of the grid of tiles (trace.h) is: tile `number` of `part`. part < 0: beyond the grid.
 */
typedef struct SinoTileNumber {
    int32_t part, number;
} SinoTileNumber;

/* The tiles of a slice in voxel vectors of several parts. Nothing is owned. */
typedef struct SinoTileMap {
    const SinoTileNumber *tile; /* [row][column] of sino_tile_side(N)² */
    const int64_t *part_rows;   /* [part]: voxels of its vectors */
} SinoTileMap;

/* One slice of a vector, in single precision: its panel, and its number in the panel. */
typedef struct SinoTileSlice {
    const SinoTileMap *map;
    int64_t size; /* N */
    SinoPanel panel;
    int64_t number;
} SinoTileSlice;

/* Copies the voxels of the tiles of row `down` to row[voxel row of the tile · stride + column of the slice]. x[part]:
 * voxel vectors in panels; NULL: a part without voxels. Voxels beyond the grid are not read. */
void sino_tile_rows_gather(const SinoTileSlice *slice, int64_t down, const float *const *x, int64_t stride, float *row);

/* The way back, from the voxel rows within.first … of the tiles, the first of which is row[0 …]; voxels beyond the grid
 * become 0. */
void sino_tile_rows_scatter(const SinoTileSlice *slice, int64_t down, SinoTileRange within, int64_t stride,
                            const float *row, float *const *y);

/* Sets a slice to 0, as padding is. */
void sino_tile_rows_clear(const SinoTileSlice *slice, float *const *y);
