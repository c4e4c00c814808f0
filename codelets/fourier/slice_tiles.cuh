/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice tiles: rows of whole slices on a GPU, for transforms, out of the tiles of voxel vectors and back. */
#pragma once

#include "cufft_rows.cuh"

extern "C" {
#include "tile_rows.h"
}

enum {
    SINO_TILE_PARTS = 16,                 /* whose vectors a launch knows */
    SINO_TILE_GAP = SINO_TILE_VOXELS + 1, /* from slice to slice in shared memory */
};

/* A batch of slices, and the vectors of the parts from first_part on. One argument, because ptxas keeps a copy of an
 * argument that is an array alone in each thread's memory. */
struct SinoTileBatch {
    SinoPanels panels;
    int slice_count, first, count; /* of the minibatch; of the batch, padding included */
    int first_part;
    int64_t size, stride; /* N; numbers of a row */
    const SinoTileNumber *tile;
    float *rows; /* [slice of the batch][N][stride] */
    int64_t part_rows[SINO_TILE_PARTS];
    const float *x[SINO_TILE_PARTS];
    float *y[SINO_TILE_PARTS];
};

/* What a block has of a batch: a tile, in the slices of one panel. Grid x: tiles, y: panels. A thread has a voxel. */
struct SinoBatchTile {
    int first, width;      /* the panel's first slice and its slices */
    int begin, count;      /* those of the batch: in the panel */
    int part;              /* of those that the launch knows; −1: none has the tile */
    bool mine;             /* whether this launch copies the tile */
    bool in_row, is_voxel; /* of the thread: in a row of the grid, in the grid */
    int64_t tiles, across; /* tiles of a row of the grid; number of this one in its row */
    int64_t row, column;   /* of the thread's voxel */
    int64_t element;       /* of the tile's first voxel, first slice of the batch, in its part's vector */

    __device__ __forceinline__ explicit SinoBatchTile(const SinoTileBatch &slices)
        : first((slices.first / slices.panels.width + static_cast<int>(blockIdx.y)) * slices.panels.width),
          width(min(slices.panels.width, slices.panels.stride - first)), begin(max(slices.first - first, 0)),
          count(min(slices.first + slices.count - first, width) - begin), tiles(sino_tile_side(slices.size)),
          across(blockIdx.x % tiles)
    {
        const int voxel = static_cast<int>(threadIdx.x);
        const int64_t down = blockIdx.x / tiles;
        const SinoTileNumber of = slices.tile[blockIdx.x];
        const SinoTileRange rows = sino_tile_range(slices.size, down), columns = sino_tile_range(slices.size, across);
        part = of.part < 0 ? -1 : of.part - slices.first_part;
        mine = of.part < 0 ? slices.first_part == 0 : part >= 0 && part < SINO_TILE_PARTS;
        row = sino_tile_first_voxel(slices.size, down) + voxel / SINO_TILE;
        column = sino_tile_first_voxel(slices.size, across) + voxel % SINO_TILE;
        in_row = rows.count > 0 && row >= 0 && row < slices.size;
        is_voxel = in_row && columns.count > 0 && column >= 0 && column < slices.size;
        element = mine && part >= 0 ? first * slices.part_rows[part] +
                                          static_cast<int64_t>(of.number) * SINO_TILE_VOXELS * width + begin
                                    : 0;
    }

    /* The thread's row of slice `slice` of the panel's slices in the batch. */
    __device__ __forceinline__ float *row_of(const SinoTileBatch &slices, int slice) const
    {
        return slices.rows + ((first + begin + slice - slices.first) * slices.size + row) * slices.stride;
    }

    __device__ __forceinline__ bool is_padding(const SinoTileBatch &slices, int slice) const
    {
        return first + begin + slice >= slices.slice_count;
    }
};

/* Rows to tiles, of a block: the voxel at the column c of the slice's row r is value(row, r, c). What is no voxel
 * becomes 0. SINO_TILE_VOXELS threads. */
template <class Value> static __device__ void sino_scatter_tile(const SinoTileBatch &slices, float *turned, Value value)
{
    const SinoBatchTile tile(slices);
    const int me = static_cast<int>(threadIdx.x);
    if (!tile.mine || tile.part < 0) return;
    for (int s = 0; s < tile.count; s++)
        turned[s * SINO_TILE_GAP + me] =
            tile.is_voxel && !tile.is_padding(slices, s) ? value(tile.row_of(slices, s), tile.row, tile.column) : 0.0f;
    __syncthreads();
    float *const y = slices.y[tile.part] + tile.element;
    for (int i = me; i < SINO_TILE_VOXELS * tile.count; i += SINO_TILE_VOXELS)
        y[i / tile.count * tile.width + i % tile.count] = turned[i % tile.count * SINO_TILE_GAP + i / tile.count];
}

/* The tiles of a batch that `kernel` copies, of as many parts at a time as a launch knows. x, y[part]: NULL: none. */
template <class... Parameters, class... More>
static SinoStatus sino_copy_tiles(const char *name, cudaStream_t stream, void (*kernel)(SinoTileBatch, Parameters...),
                                  SinoTileBatch slices, const int64_t *part_rows, int64_t part_count,
                                  const float *const *x, float *const *y, More... more)
{
    const int last_panel = (slices.first + slices.count - 1) / slices.panels.width;
    const int64_t tiles = sino_tile_side(slices.size);
    const dim3 blocks(static_cast<unsigned>(tiles * tiles),
                      static_cast<unsigned>(last_panel - slices.first / slices.panels.width + 1));
    for (int64_t first = 0; first < part_count; first += SINO_TILE_PARTS) {
        slices.first_part = static_cast<int>(first);
        for (int64_t i = 0; i < SINO_TILE_PARTS && first + i < part_count; i++) {
            slices.part_rows[i] = part_rows[first + i];
            slices.x[i] = x ? x[first + i] : NULL;
            slices.y[i] = y ? y[first + i] : NULL;
        }
        SINO_TRY(sino_launch(SinoLaunch{name, blocks, SINO_TILE_VOXELS, 0, stream}, kernel, slices, more...));
    }
    return NULL;
}

/* Transforms whole rows, `count` at least. */
static SinoStatus sino_transform_rows(const SinoCufftRows *rows, bool forward, int64_t count, float *at)
{
    for (int64_t i = 0; i < count; i += rows->rows)
        SINO_TRY(sino_cufft_rows_run(rows, forward, at + i * (rows->points + 2)));
    return NULL;
}
