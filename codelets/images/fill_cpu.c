/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill: images into a partition's tiles of interleaved slices, on a CPU core. A run fills a slice once, so that memory
 * bounds this loop, and nothing is vectorised. */
#include "fill.h"

#include <string.h>

/* Index of a voxel in its image; −1: the voxel is 0. */
static int64_t pixel_of(const SinoFill *fill, int64_t row, int64_t column)
{
    const int64_t side = fill->grid_size - 2 * fill->margin;
    const double half = (double)fill->grid_size / 2, radius = half * fill->support_ratio;
    const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
    const int64_t down = row - fill->margin, across = column - fill->margin;
    if (down < 0 || down >= side || across < 0 || across >= side) return -1;
    if (fill->support_ratio > 0 && x * x + y * y > radius * radius) return -1;
    return down * side + across;
}

/* Writes one voxel of a panel's slices; image: that of the panel's first slice, at the voxel's pixel. */
static void fill_voxel(const SinoFill *fill, SinoSlices slices, const float *image, int64_t row, void *x)
{
    const int64_t side = fill->grid_size - 2 * fill->margin, pixels = side * side, at = row * slices.stride;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double value = fill->scale * (double)image[f * pixels];
        if (slices.precision == SINO_DOUBLE)
            ((double *)x)[at + f] = value;
        else
            ((float *)x)[at + f] = (float)value;
    }
}

static void fill_panel(const SinoFill *fill, SinoSlices slices, const float *image, void *x)
{
    for (int64_t i = 0; i < fill->tile_count * SINO_TILE_VOXELS; i++) {
        const SinoTilePlace at = fill->tile[i / SINO_TILE_VOXELS];
        const int64_t in_tile = i % SINO_TILE_VOXELS;
        const int64_t pixel = pixel_of(fill, sino_tile_first_voxel(fill->grid_size, at.row) + in_tile / SINO_TILE,
                                       sino_tile_first_voxel(fill->grid_size, at.column) + in_tile % SINO_TILE);
        if (pixel >= 0) fill_voxel(fill, slices, image + pixel, i, x);
    }
}

void sino_fill(const SinoFill *fill, const float *image, void *x)
{
    const SinoSlices slices = fill->slices;
    const int64_t voxels = fill->tile_count * SINO_TILE_VOXELS, side = fill->grid_size - 2 * fill->margin;
    memset(x, 0, (size_t)(voxels * slices.stride) * sino_precision_bytes(slices.precision));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at))
        fill_panel(fill, at.slices, image + at.first * side * side, sino_panel_to(at, voxels, x));
}
