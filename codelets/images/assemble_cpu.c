/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: a partition's tiles of interleaved slices into images, on a CPU core. */
#include "assemble.h"

#include "block.h"

#include <string.h>

/* Pixels along a side of an image. */
static int64_t side_of(const SinoAssemble *assemble)
{
    return assemble->grid_size - 2 * assemble->margin;
}

/* The scale of pixel (row, column), or 0 where it is masked. */
static double scale_of(const SinoAssemble *assemble, int64_t row, int64_t column)
{
    if (assemble->mask_ratio <= 0) return assemble->scale;
    const double half = (double)side_of(assemble) / 2, radius = half * assemble->mask_ratio;
    const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
    return x * x + y * y <= radius * radius ? assemble->scale : 0;
}

/* One row of a tile, to be transposed from [voxel][slice] to [slice][voxel]. The row's voxels of one slice fill a cache
 * line of the image. */
typedef struct TileRow {
    double scale[SINO_TILE]; /* of each voxel; 0: masked */
    float voxel[SINO_TILE][SINO_PANEL_MAX];
    float slice[SINO_PANEL_MAX][SINO_TILE];
} TileRow;

#define TEMPLATE "assemble_tmpl.c"
#include "two_precisions_tmpl.c"

/* Transposes `count` voxels of one row of a tile into the images, from (row, column) on. `first_voxel` is the row of x
 * that holds the first of these voxels. */
static void assemble_row(const SinoAssemble *assemble, SinoSlices slices, int64_t row, int64_t column, int64_t count,
                         const void *x, int64_t first_voxel, float *image)
{
    const int64_t size = side_of(assemble), at = first_voxel * slices.stride;
    TileRow tile;
    memset(tile.voxel, 0, sizeof tile.voxel); /* voxels after `count` are transposed, too */
    for (int64_t c = 0; c < count; c++) tile.scale[c] = scale_of(assemble, row, column + c);
    if (slices.precision == SINO_DOUBLE)
        turn_row_double(count, slices, (const double *)x + at, &tile);
    else
        turn_row_single(count, slices, (const float *)x + at, &tile);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        float *to = image + (f * size + row) * size + column;
        if (count == SINO_TILE) /* a separate case, so that the compiler uses whole registers */
            memcpy(to, tile.slice[f], sizeof tile.slice[f]);
        else
            memcpy(to, tile.slice[f], (size_t)count * sizeof *to);
    }
}

/* The part of a tile's voxels along one dimension that the images show; *to: the pixel of its first voxel. */
static SinoTileRange shown(const SinoAssemble *assemble, int64_t tile, int64_t *to)
{
    const int64_t first = sino_tile_first_voxel(assemble->grid_size, tile) - assemble->margin;
    const int64_t from = sino_larger(0, -first), end = sino_smaller(SINO_TILE, side_of(assemble) - first);
    *to = first + from;
    return (SinoTileRange){.first = from, .count = sino_larger(0, end - from)};
}

/* Assembles one panel: its slices of x into their images. */
static void assemble_panel(const SinoAssemble *assemble, SinoSlices slices, const void *x, float *image)
{
    for (int64_t t = 0; t < assemble->tile_count; t++) {
        int64_t top, left;
        const SinoTileRange down = shown(assemble, assemble->tile[t].row, &top);
        const SinoTileRange across = shown(assemble, assemble->tile[t].column, &left);
        for (int64_t r = 0; across.count > 0 && r < down.count; r++)
            assemble_row(assemble, slices, top + r, left, across.count, x,
                         t * SINO_TILE_VOXELS + (down.first + r) * SINO_TILE + across.first, image);
    }
}

void sino_assemble(const SinoAssemble *assemble, const void *x, float *image)
{
    const SinoSlices slices = assemble->slices;
    const int64_t voxels = assemble->tile_count * SINO_TILE_VOXELS, pixels = side_of(assemble) * side_of(assemble);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at))
        assemble_panel(assemble, at.slices, sino_panel_from(at, voxels, x), image + at.first * pixels);
}
