/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick order: where the voxels of a matrix with arbitrary entries (config/geometry/system_matrix.h) lie in vectors, so
 * that the voxels of a row lie close together.
 *
 * A *brick* is 16 or 32 voxels (lanes) that are neighbours in space: the rows brick · lanes … + lanes − 1 of a vector
 * of voxels. A *tile* is a run of at most SINO_BRICK_TILE bricks, neighbours in space, too. Bricks are numbered tile
 * after tile. Bricks at the border of the grid have rows without a voxel: these padding rows are zero and stay zero in
 * every vector that products read or write. */
#pragma once

#include "status.h"
#include "system_matrix.h"

enum {
    SINO_BRICK_TILE = 256, /* bricks of a tile, at most: their numbers in the tile fit a byte */
    SINO_BRICK_LANES = 32  /* voxels of a brick, at most */
};

#define SINO_BRICK_NO_COLUMN UINT32_MAX

/* Voxels along x, y and z of a brick, and bricks along x, y and z of a tile. Without a grid: {lanes, 1, 1}, {256, 1,
 * 1}. */
typedef struct SinoBrickShape {
    int32_t brick[3]; /* product 16 or 32 */
    int32_t tile[3];  /* product at most SINO_BRICK_TILE */
} SinoBrickShape;

typedef struct SinoBrickOrder {
    SinoBrickShape shape;
    int64_t lanes;
    int64_t column_count;
    int64_t brick_count;
    int64_t row_count;   /* rows of a vector of voxels: brick_count · lanes, at most 2³² − 2 */
    int64_t tile_count;  /* 0: the order is of places, see sino_brick_order_of_places */
    int64_t *tile_first; /* [tile_count + 1]: the tile's first brick; the last entry is brick_count */
    uint32_t *tile_of;   /* [brick_count] */
    uint32_t *place;     /* [column_count]: row of the column's voxel */
    uint32_t *column;    /* [row_count]: column of the voxel of a row; SINO_BRICK_NO_COLUMN: padding */
} SinoBrickOrder;

/* The order of the voxels of a grid in bricks of this shape. SINO_BAD_INPUT: row_count would exceed 2³² − 2.
 * SINO_FAILED: no memory. The caller frees *order. */
SinoStatus sino_brick_order_of_grid(const SinoVoxelGrid *grid, const SinoBrickShape *shape, SinoBrickOrder **order);

/* The order that takes the fewest bytes and tiles for the rows of `sample`, of a few that are tried: shapes of bricks
 * and tiles if the grid is known (its counts are not 0; their product is column_count), else the order of columns, and
 * one in which columns that occur in the same rows are neighbours. The same arguments give the same order. `sample`: a
 * few hundred rows from everywhere, which need not follow each other; NULL: a usual shape. Errors as above. */
SinoStatus sino_brick_order_new(const SinoVoxelGrid *grid, int64_t column_count, const SinoSparseRows *sample,
                                SinoBrickOrder **order);

/* The order of stored places, for products with a stored block; nothing can be packed in it. SINO_BAD_INPUT: lanes are
 * not 16 or 32, or places are not different rows below brick_count · lanes; the text is a predicate, such as "has two
 * voxels in one place". */
SinoStatus sino_brick_order_of_places(int64_t lanes, int64_t brick_count, int64_t column_count, const uint32_t *place,
                                      SinoBrickOrder **order);

void sino_brick_order_free(SinoBrickOrder *order); /* takes NULL */

/* Rows of a matrix are worth sorting: bands of rows that cross the same tiles (brick.h) share them in cache. The key of
 * row a · crystal_count + b of a matrix whose rows are pairs of crystals, for scanners that number crystals along their
 * axis first: a band then has the pairs of 4 neighbours with 8, and a group of bands those of 32 with 8. */
uint64_t sino_brick_pair_key(int64_t crystal_count, int64_t row);

/* row[i]: number of the row that comes i-th when rows are sorted by their keys; equal keys keep their order.
 * SINO_FAILED: no memory. */
SinoStatus sino_brick_sort_rows(int64_t row_count, const uint64_t *key, int64_t *row);
