/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: on a CPU core, slice after slice. */
#include "detail.h"

#include "arithmetic.h"
#include "detail_rule.h"
#include "variation_tiles.h"

#include <string.h>

/* Images [size][size] of one slice, and sums in double, in scratch memory. */
typedef struct Slice {
    int64_t size;
    double least, most;           /* of x */
    double *column, *sum;         /* column: sums of g over the rows of the square and of the one around, [2][size];
                                   * sum: of the columns before, [2][size + 1] */
    float *x, *g, *m, *lack, *to; /* lack: l of the last square; to: gain of the voxels */
} Slice;

enum { IMAGES = 5, SUMS = 2 };

int64_t sino_detail_bytes(int64_t grid_size)
{
    const int64_t of_images = sino_times(IMAGES * (int64_t)sizeof(float), sino_times(grid_size, grid_size));
    return of_images + sino_times((int64_t)SUMS * 2 * (int64_t)sizeof(double), grid_size + 1);
}

/* ---- tiles ---- */

/* One slice of vectors. */
typedef struct Place {
    const SinoVariation *tiles;
    SinoPanel panel;
    int64_t slice; /* in the panel */
} Place;

/* The voxels of a row of a tile: elements first, first + step … of the panel, and of the image. */
typedef struct TileRow {
    int64_t count, first, pixel;
} TileRow;

static TileRow row_of(const Place *at, int64_t part, int64_t tile, int64_t row)
{
    const SinoVariation *tiles = at->tiles;
    const SinoTileExtent extent = sino_tile_extent(tiles, tile);
    const SinoTilePlace place = tiles->tile[tile];
    const bool inside = row >= extent.down.first && row < extent.down.first + extent.down.count;
    const int64_t voxel = (tile - tiles->first_tile[part]) * SINO_TILE_VOXELS + row * SINO_TILE + extent.across.first;
    return (TileRow){.count = inside ? extent.across.count : 0,
                     .first = voxel * at->panel.slices.stride + at->slice,
                     .pixel = (sino_tile_first_voxel(tiles->grid_size, place.row) + row) * tiles->grid_size +
                              sino_tile_first_voxel(tiles->grid_size, place.column) + extent.across.first};
}

static void take(const Place *at, const void *const *vector, float *image)
{
    const SinoVariation *tiles = at->tiles;
    const int64_t step = at->panel.slices.stride;
    for (int64_t part = 0; part < tiles->part_count; part++)
        for (int64_t i = tiles->first_tile[part] * SINO_TILE; i < tiles->first_tile[part + 1] * SINO_TILE; i++) {
            const TileRow row = row_of(at, part, i / SINO_TILE, i % SINO_TILE);
            const void *panel = sino_tile_panel(tiles, at->panel, part, vector[part]);
            for (int64_t k = 0; k < row.count; k++)
                image[row.pixel + k] = at->panel.slices.precision == SINO_DOUBLE
                                           ? (float)((const double *)panel)[row.first + k * step]
                                           : ((const float *)panel)[row.first + k * step];
        }
}

static void put(const Place *at, const float *image, void *const *vector)
{
    const SinoVariation *tiles = at->tiles;
    const int64_t step = at->panel.slices.stride;
    for (int64_t part = 0; part < tiles->part_count; part++)
        for (int64_t i = tiles->first_tile[part] * SINO_TILE; i < tiles->first_tile[part + 1] * SINO_TILE; i++) {
            const TileRow row = row_of(at, part, i / SINO_TILE, i % SINO_TILE);
            void *panel = sino_tile_panel(tiles, at->panel, part, vector[part]);
            for (int64_t k = 0; k < row.count; k++)
                if (at->panel.slices.precision == SINO_DOUBLE)
                    ((double *)panel)[row.first + k * step] = (double)image[row.pixel + k];
                else
                    ((float *)panel)[row.first + k * step] = image[row.pixel + k];
        }
}

static void clear(const SinoVariation *tiles, void *const *vector)
{
    for (int64_t part = 0; part < tiles->part_count; part++) {
        const int64_t rows = (tiles->first_tile[part + 1] - tiles->first_tile[part]) * SINO_TILE_VOXELS;
        const int64_t elements = rows * tiles->slices.stride;
        if (rows > 0) memset(vector[part], 0, (size_t)elements * sino_precision_bytes(tiles->slices.precision));
    }
}

/* ---- squares ---- */

/* Takes a row of g into the sums of columns, or out of them. */
static void add_row(const Slice *of, int64_t row, double sign, double *column)
{
    const float *g = of->g + row * of->size;
    if (row < 0 || row >= of->size) return;
    for (int64_t i = 0; i < of->size; i++) column[i] += sign * (double)g[i];
}

static void sum_columns(int64_t size, const double *column, double *sum)
{
    sum[0] = 0;
    for (int64_t i = 0; i < size; i++) sum[i + 1] = sum[i] + column[i];
}

/* Finds l of a row, whose sums are known; adds t²/m to *total and the voxels to *count. */
static void find_row(Slice *of, const SinoDetailSquare *square, int64_t row, double *total, double *count)
{
    const int64_t size = of->size, half = square->side / 2, wide = square->around / 2;
    const int64_t first = sino_detail_first_of_row(square, row);
    const double *own = of->sum, *around = of->sum + size + 1, part = 1 / square->response;
    for (int64_t i = first; i < size - first; i++) {
        const double m = (double)of->m[row * size + i];
        const double t = own[i + half + 1] - own[i - half] - square->share * (around[i + wide + 1] - around[i - wide]);
        if (!(m > 0)) continue;
        *total += t * (t / m);
        *count += 1;
        of->lack[row * size + i] = (float)(part * (t / m));
    }
}

/* Finds l of all voxels. Returns the root of the mean of t²/m. */
static double find_lack(Slice *of, const SinoDetailSquare *square)
{
    const int64_t size = of->size, half = square->side / 2, wide = square->around / 2;
    double *own = of->column, *around = of->column + size, total = 0, count = 0;
    memset(of->column, 0, (size_t)(SUMS * size) * sizeof *of->column);
    memset(of->lack, 0, (size_t)(size * size) * sizeof *of->lack);
    for (int64_t row = -wide; row < size; row++) {
        add_row(of, row + half, 1, own);
        add_row(of, row - half - 1, -1, own);
        add_row(of, row + wide, 1, around);
        add_row(of, row - wide - 1, -1, around);
        if (row < 0) continue;
        sum_columns(size, own, of->sum);
        sum_columns(size, around, of->sum + size + 1);
        find_row(of, square, row, &total, &count);
    }
    return count > 0 ? sqrt(total / count) : 0;
}

/* The mean and the mean square of x in a square about a voxel. */
SINO_VECTORISED static void average(const Slice *of, int64_t side, int64_t row, int64_t column, double *mean,
                                    double *square)
{
    const int64_t half = side / 2;
    double sum[SINO_DETAIL_WIDEST] = {0}, squares_sum[SINO_DETAIL_WIDEST] = {0}; /* of columns */
    for (int64_t y = row - half; y <= row + half; y++) {
        const float *x = of->x + y * of->size + column - half;
        for (int64_t i = 0; i < side; i++) {
            sum[i] += (double)x[i];
            squares_sum[i] += (double)x[i] * (double)x[i];
        }
    }
    *mean = *square = 0;
    for (int64_t i = 0; i < side; i++) {
        *mean += sum[i] / (double)(side * side);
        *square += squares_sum[i] / (double)(side * side);
    }
}

/* f of a square about a voxel. */
static double judge(const Slice *of, const SinoDetailSquare *square, double deviation, int64_t row, int64_t column)
{
    const int64_t i = row * of->size + column;
    const double lack = (double)of->lack[i];
    const double score = fabs(lack) * square->response * sqrt((double)of->m[i]) / deviation;
    double own, around, unused, mean_square;
    if (!(score > SINO_DETAIL_LEAST_SCORE)) return 0;
    average(of, square->side, row, column, &own, &unused);
    average(of, square->around, row, column, &around, &mean_square);
    return sino_detail_factor(square, score, lack, own, around, mean_square);
}

/* Gives the voxels of a square f times what they lack, where this is more than they have got. */
static void give(Slice *of, const SinoDetailSquare *square, int64_t row, int64_t column, double f)
{
    const int64_t half = square->side / 2;
    const float middle = of->lack[row * of->size + column];
    for (int64_t y = row - half; y <= row + half; y++)
        for (int64_t x = column - half; x <= column + half; x++) {
            const float lack = of->lack[y * of->size + x], value = (float)f * lack;
            float *to = &of->to[y * of->size + x];
            if ((lack > 0) == (middle > 0) && fabsf(value) > fabsf(*to)) *to = value;
        }
}

static void restore(Slice *of, double share)
{
    const int64_t size = of->size;
    memset(of->to, 0, (size_t)(size * size) * sizeof *of->to);
    for (int k = 0; k < SINO_DETAIL_SQUARES; k++) {
        const SinoDetailSquare square = sino_detail_square(k, size, share);
        const double deviation = find_lack(of, &square);
        for (int64_t i = 0; i < size * size && deviation > 0; i++) {
            const double f = of->lack[i] != 0 ? judge(of, &square, deviation, i / size, i % size) : 0;
            if (f > 0) give(of, &square, i / size, i % size, f);
        }
    }
    for (int64_t i = 0; i < size * size; i++)
        of->to[i] = (float)fmin(fmax((double)of->x[i] + (double)of->to[i], of->least), of->most) - of->x[i];
}

static Slice slice_in(const SinoVariation *tiles, void *scratch)
{
    const int64_t size = tiles->grid_size, voxels = size * size;
    double *const sums = scratch;
    void *const images = sums + 2 * (size + 1) * SUMS;
    float *const image = images;
    return (Slice){.size = size,
                   .least = tiles->least,
                   .most = tiles->most,
                   .column = sums,
                   .sum = sums + SUMS * size,
                   .x = image,
                   .g = image + voxels,
                   .m = image + 2 * voxels,
                   .lack = image + 3 * voxels,
                   .to = image + 4 * voxels};
}

void sino_detail(const SinoVariation *tiles, SinoDetailSlices slices, double share, const void *const *g,
                 const void *const *m, const void *const *x, void *scratch, void *const *u)
{
    Slice slice = slice_in(tiles, scratch);
    Place at = {.tiles = tiles, .panel = sino_panel_at(tiles->slices, 0)};
    clear(tiles, u);
    for (; at.panel.first < tiles->slices.stride; at.panel = sino_panel_next(tiles->slices, at.panel))
        for (at.slice = 0; at.slice < at.panel.slices.slice_count; at.slice++) {
            if ((at.panel.first + at.slice) % slices.step != slices.first) continue;
            take(&at, g, slice.g);
            take(&at, m, slice.m);
            take(&at, x, slice.x);
            restore(&slice, share);
            put(&at, slice.to, u);
        }
}
