/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: a partition's tiles of interleaved slices into images, on a CPU core. */
#include "assemble.h"

#include "block.h"

/* The scale of voxel (row, column), or 0 where it is masked. */
static double scale_of(const SinoAssemble *assemble, int64_t row, int64_t column)
{
    if (assemble->mask_ratio <= 0) return assemble->scale;
    const double half = (double)assemble->grid_size / 2, radius = half * assemble->mask_ratio;
    const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
    return x * x + y * y <= radius * radius ? assemble->scale : 0;
}

static double element(SinoPrecision precision, const void *x, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)x)[at] : (double)((const float *)x)[at];
}

/* `count` voxels of a tile's row, from (row, column) of the image on. */
static void assemble_row(const SinoAssemble *assemble, SinoSlices slices, int64_t row, int64_t column, int64_t count,
                         const void *x, int64_t first_voxel, float *image)
{
    const int64_t size = assemble->grid_size;
    for (int64_t c = 0; c < count; c++) {
        const double scale = scale_of(assemble, row, column + c);
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const double value = element(slices.precision, x, (first_voxel + c) * slices.stride + f);
            image[(f * size + row) * size + column + c] = scale == 0 ? 0 : (float)(scale * value);
        }
    }
}

/* One panel: its slices of x and of the images. */
static void assemble_panel(const SinoAssemble *assemble, SinoSlices slices, const void *x, float *image)
{
    for (int64_t t = 0; t < assemble->tile_count; t++) {
        const SinoTilePlace tile = assemble->tile[t];
        const int64_t size = assemble->grid_size;
        const SinoTileRange down = sino_tile_range(size, tile.row), across = sino_tile_range(size, tile.column);
        const int64_t top = sino_tile_first_voxel(size, tile.row), left = sino_tile_first_voxel(size, tile.column);
        for (int64_t r = down.first; r < down.first + down.count; r++)
            assemble_row(assemble, slices, top + r, left + across.first, across.count, x,
                         t * SINO_TILE_VOXELS + r * SINO_TILE + across.first, image);
    }
}

void sino_assemble(const SinoAssemble *assemble, const void *x, float *image)
{
    const SinoSlices slices = assemble->slices;
    const int64_t voxels = assemble->tile_count * SINO_TILE_VOXELS, pixels = assemble->grid_size * assemble->grid_size;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at))
        assemble_panel(assemble, at.slices, sino_panel_from(at, voxels, x), image + at.first * pixels);
}
