/* SPDX-License-Identifier: BSD-3-Clause */
/* Tile rows: copies between rows of a slice and tiles. */
#include "tile_rows.h"

enum { ROWS = SINO_TILE };

/* The first of the elements of voxel 0 of a tile. */
static int64_t tile_element(const SinoTileSlice *slice, SinoTileNumber tile)
{
    const int64_t rows = slice->map->part_rows[tile.part];
    return slice->panel.first * rows + (int64_t)tile.number * SINO_TILE_VOXELS * slice->panel.slices.stride +
           slice->number;
}

void sino_tile_rows_gather(const SinoTileSlice *slice, int64_t down, const float *const *x, int64_t stride, float *row)
{
    const int64_t side = sino_tile_side(slice->size), step = slice->panel.slices.stride;
    for (int64_t across = 0; across < side; across++) {
        const SinoTileNumber tile = slice->map->tile[down * side + across];
        const SinoTileRange range = sino_tile_range(slice->size, across);
        if (tile.part < 0) continue;
        const float *from = x[tile.part] + tile_element(slice, tile);
        const int64_t first = sino_tile_first_voxel(slice->size, across);
        for (int64_t r = 0; r < ROWS; r++)
            for (int64_t c = range.first; c < range.first + range.count; c++)
                row[r * stride + first + c] = from[(r * SINO_TILE + c) * step];
    }
}

void sino_tile_rows_scatter(const SinoTileSlice *slice, int64_t down, SinoTileRange within, int64_t stride,
                            const float *row, float *const *y)
{
    const int64_t side = sino_tile_side(slice->size), step = slice->panel.slices.stride;
    for (int64_t across = 0; across < side; across++) {
        const SinoTileNumber tile = slice->map->tile[down * side + across];
        const SinoTileRange range = sino_tile_range(slice->size, across);
        if (tile.part < 0) continue;
        float *to = y[tile.part] + tile_element(slice, tile);
        const int64_t first = sino_tile_first_voxel(slice->size, across);
        for (int64_t r = 0; r < ROWS; r++) {
            const bool inside = r >= within.first && r < within.first + within.count;
            for (int64_t c = 0; c < SINO_TILE; c++) {
                const bool is_voxel = inside && c >= range.first && c < range.first + range.count;
                to[(r * SINO_TILE + c) * step] = is_voxel ? row[(r - within.first) * stride + first + c] : 0;
            }
        }
    }
}

void sino_tile_rows_clear(const SinoTileSlice *slice, float *const *y)
{
    for (int64_t down = 0; down < sino_tile_side(slice->size); down++)
        sino_tile_rows_scatter(slice, down, (SinoTileRange){0, 0}, 0, NULL, y);
}
