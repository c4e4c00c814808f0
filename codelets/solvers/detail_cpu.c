/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: on a CPU core, slice after slice. */
#include "detail.h"

#include "arithmetic.h"
#include "memory.h"
#include "variation_tiles.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sides of squares, and their response over the side³: the mean over all directions of
 * ∫ (width of the square − (a/b)² · width of the one around it) · width of the square, b = 2a + 1. */
static const struct {
    int64_t side;
    double response;
} squares[] = {{5, 0.450717}, {7, 0.438318}, {9, 0.431170}};
enum { SQUARES = sizeof squares / sizeof *squares, WIDEST = 2 * 9 + 1 };

/* The score that noise has in about as many places of a larger slice as in one of 256². */
static double least_score(int64_t size)
{
    return sqrt(4 * log(fmax((double)size, 256)) - 2);
}

/* Images [size][size] of one slice. */
typedef struct Slice {
    int64_t size;
    double least, most;           /* of x */
    float *x, *g, *m, *lack, *to; /* lack: l of the last square; to: gain of the voxels; owned */
    double *column, *sum; /* column: sums of g over the rows of the square and of the one around, [2][size]; sum:
                           * of the columns before, [2][size + 1]; owned */
} Slice;

typedef struct Square {
    int64_t side, around;
    double share;     /* of the area around */
    double response;  /* of g and m */
    double deviation; /* root of the mean of t²/m */
} Square;

enum { IMAGES = 5, SUMS = 2 };

int64_t sino_detail_bytes(int64_t grid_size)
{
    const int64_t of_images = sino_times(IMAGES * (int64_t)sizeof(float), sino_times(grid_size, grid_size));
    return of_images + sino_times((int64_t)SUMS * 2 * (int64_t)sizeof(double), grid_size + 1);
}

static double clamp(double value)
{
    return fmin(fmax(value, 0), 1);
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

/* The first voxel of a row that is as far from the edge of the inscribed circle as the square around reaches; the last
 * one is as far from the other end of the row. The size: there is none. */
static int64_t first_of_row(const Slice *of, const Square *square, int64_t row)
{
    const double middle = 0.5 * (double)(of->size - 1), y = (double)row - middle;
    const double radius = 0.5 * (double)(of->size - square->around), rest = radius * radius - y * y;
    return radius < 0 || rest < 0 ? of->size : (int64_t)ceil(middle - sqrt(rest));
}

/* Finds l of a row, whose sums are known; adds t²/m to *total and the voxels to *count. */
static void find_row(Slice *of, const Square *square, int64_t row, double *total, double *count)
{
    const int64_t size = of->size, half = square->side / 2, wide = square->around / 2;
    const int64_t first = first_of_row(of, square, row);
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

/* Finds l of all voxels and the deviation of t/√m. */
static void find_lack(Slice *of, Square *square)
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
    square->deviation = count > 0 ? sqrt(total / count) : 0;
}

/* The mean and the mean square of x in a square about a voxel. */
SINO_VECTORISED static void average(const Slice *of, int64_t side, int64_t row, int64_t column, double *mean,
                                    double *square)
{
    const int64_t half = side / 2;
    double sum[WIDEST] = {0}, squares_sum[WIDEST] = {0}; /* of columns */
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
static double judge(const Slice *of, const Square *square, int64_t row, int64_t column)
{
    const int64_t i = row * of->size + column;
    const double lack = (double)of->lack[i];
    const double score = fabs(lack) * square->response * sqrt((double)of->m[i]) / square->deviation;
    double own, around, unused, mean_square;
    if (!(score > 2.5)) return 0;
    average(of, square->side, row, column, &own, &unused);
    average(of, square->around, row, column, &around, &mean_square);
    const double has = (own - around) / (1 - square->share);
    const double spread = sqrt(fmax(mean_square - around * around, 0));
    return clamp(score * (1 + has / lack) - least_score(of->size)) * clamp(score - 2.5) *
           clamp(1.6 - 2 * spread / fabs(lack)) * (around > 0 ? clamp(2 - 4 * fabs(lack) / around) : 0);
}

/* Gives the voxels of a square f times what they lack, where this is more than they have got. */
static void give(Slice *of, const Square *square, int64_t row, int64_t column, double f)
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
    for (int k = 0; k < SQUARES; k++) {
        const double side = (double)squares[k].side, around = 2 * side + 1;
        Square square = {.side = squares[k].side,
                         .around = 2 * squares[k].side + 1,
                         .share = side * side / (around * around),
                         .response = squares[k].response * side * side * side / share};
        find_lack(of, &square);
        for (int64_t i = 0; i < size * size && square.deviation > 0; i++) {
            const double f = of->lack[i] != 0 ? judge(of, &square, i / size, i % size) : 0;
            if (f > 0) give(of, &square, i / size, i % size, f);
        }
    }
    for (int64_t i = 0; i < size * size; i++)
        of->to[i] = (float)fmin(fmax((double)of->x[i] + (double)of->to[i], of->least), of->most) - of->x[i];
}

static SinoStatus slice_new(const SinoVariation *tiles, Slice *slice)
{
    const int64_t size = tiles->grid_size, voxels = sino_times(size, size);
    float **const image[IMAGES] = {&slice->x, &slice->g, &slice->m, &slice->lack, &slice->to};
    *slice = (Slice){.size = size, .least = tiles->least, .most = tiles->most};
    for (int i = 0; i < IMAGES; i++) SINO_TRY(sino_allocate(voxels, sizeof **image[i], "details", image[i]));
    SINO_TRY(sino_allocate(SUMS * size, sizeof *slice->column, "details", &slice->column));
    return sino_allocate(SUMS * (size + 1), sizeof *slice->sum, "details", &slice->sum);
}

static void slice_free(Slice *slice)
{
    free(slice->x);
    free(slice->g);
    free(slice->m);
    free(slice->lack);
    free(slice->to);
    free(slice->column);
    free(slice->sum);
}

SinoStatus sino_detail(const SinoVariation *tiles, SinoDetailSlices slices, double share, const void *const *g,
                       const void *const *m, const void *const *x, void *const *u)
{
    Slice slice;
    SinoStatus status = slice_new(tiles, &slice);
    Place at = {.tiles = tiles, .panel = sino_panel_at(tiles->slices, 0)};
    if (!status) clear(tiles, u);
    for (; !status && at.panel.first < tiles->slices.stride; at.panel = sino_panel_next(tiles->slices, at.panel))
        for (at.slice = 0; at.slice < at.panel.slices.slice_count; at.slice++) {
            if ((at.panel.first + at.slice) % slices.step != slices.first) continue;
            take(&at, g, slice.g);
            take(&at, m, slice.m);
            take(&at, x, slice.x);
            restore(&slice, share);
            put(&at, slice.to, u);
        }
    slice_free(&slice);
    return status;
}
