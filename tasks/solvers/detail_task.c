/* SPDX-License-Identifier: BSD-3-Clause */
/* Task detail: slices by slices, as images. */
#include "detail_task.h"

#include "arithmetic.h"
#include "detail.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

typedef struct Detail {
    SinoOperandList x, g, s; /* [partition] */
    SinoVariation tiles;
    float scale;
} Detail;

/* The voxels of a row of a tile that lie in the grid, in an image and in the vector of the tile's part. */
typedef struct Run {
    int64_t count, image, row;
} Run;

static Run run_of(const SinoVariation *tiles, int64_t part, int64_t tile, int64_t down)
{
    const SinoTilePlace place = tiles->tile[tile];
    const SinoTileRange across = sino_tile_range(tiles->grid_size, place.column);
    const int64_t y = sino_tile_first_voxel(tiles->grid_size, place.row) + down;
    const int64_t x = sino_tile_first_voxel(tiles->grid_size, place.column) + across.first;
    const bool inside = y >= 0 && y < tiles->grid_size;
    return (Run){.count = inside ? across.count : 0,
                 .image = y * tiles->grid_size + x,
                 .row = (tile - tiles->first_tile[part]) * SINO_TILE_VOXELS + down * SINO_TILE + across.first};
}

/* Copies a slice of a part from a vector into an image, or back. */
static void copy_part(const SinoVariation *tiles, int64_t part, int64_t slice, void *vector, float *image, bool back)
{
    const SinoSlices slices = tiles->slices;
    const int64_t rows = (tiles->first_tile[part + 1] - tiles->first_tile[part]) * SINO_TILE_VOXELS;
    for (int64_t tile = tiles->first_tile[part]; tile < tiles->first_tile[part + 1]; tile++)
        for (int64_t down = 0; down < SINO_TILE; down++) {
            const Run run = run_of(tiles, part, tile, down);
            for (int64_t i = 0; i < run.count; i++) {
                const int64_t at = sino_panel_element(slices, rows, run.row + i, slice);
                float *value = &image[run.image + i];
                if (back && slices.precision == SINO_DOUBLE)
                    ((double *)vector)[at] = (double)*value;
                else if (back)
                    ((float *)vector)[at] = *value;
                else
                    *value = slices.precision == SINO_DOUBLE ? (float)((double *)vector)[at] : ((float *)vector)[at];
            }
        }
}

static void copy(const SinoVariation *tiles, int64_t slice, const SinoOperandList *vector, float *image, bool back)
{
    for (int64_t part = 0; part < tiles->part_count; part++)
        if (!sino_variation_is_empty(tiles, part)) copy_part(tiles, part, slice, vector->at[part], image, back);
}

static SinoStatus detail_cpu(const SinoTask *task)
{
    const Detail *of = task->arguments;
    const SinoVariation *tiles = &of->tiles;
    const int64_t voxels = sino_times(tiles->grid_size, tiles->grid_size);
    float *x = NULL;
    SINO_TRY(sino_allocate(sino_times(3, voxels), sizeof *x, "details", &x));
    float *m = x + voxels, *g = m + voxels;
    SinoStatus status = NULL;
    for (int64_t f = 0; f < tiles->slices.stride && !status; f++) {
        const bool padding = f >= tiles->slices.slice_count;
        if (padding) memset(g, 0, (size_t)voxels * sizeof *g);
        if (!padding) {
            copy(tiles, f, &of->x, x, false);
            copy(tiles, f, &of->s, m, false);
            copy(tiles, f, &of->g, g, false);
            for (int64_t i = 0; i < voxels; i++) m[i] *= of->scale;
            status = sino_detail_find(tiles->grid_size, x, m, g);
        }
        if (!status) copy(tiles, f, &of->s, g, true);
    }
    free(x);
    return status;
}

static const SinoTaskKind detail_kind = {
    .name = "detail",
    SINO_ARGUMENTS(Detail, SINO_READS_EACH(Detail, x), SINO_READS_EACH(Detail, g), SINO_WRITES_EACH(Detail, s)),
    .cpu = detail_cpu};

SinoStatus sino_insert_detail(SinoRuntime *runtime, SinoPosition position, const SinoVariation *tiles, double scale,
                              SinoData *const *x, SinoData *const *g, SinoData *const *s)
{
    const Detail arguments = {.x = {.data = x, .count = tiles->part_count},
                              .g = {.data = g, .count = tiles->part_count},
                              .s = {.data = s, .count = tiles->part_count, .mode = SINO_READ_WRITE},
                              .tiles = *tiles,
                              .scale = (float)scale};
    const double voxels = (double)(tiles->grid_size * tiles->grid_size);
    return SINO_SUBMIT(runtime, &detail_kind, position, &arguments, SINO_OF_SLICES(tiles->slices),
                       .work = voxels * (double)tiles->slices.slice_count);
}
