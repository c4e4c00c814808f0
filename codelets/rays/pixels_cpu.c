/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels on a CPU core: the order of the work, and the choice of the instruction set.
 *
 * The work goes slice by slice and super-tile by super-tile. The part of the projections that a super-tile sees is
 * copied, angles by angles, with zeros beside the detector: 16 tiles then read it from the first-level cache. */
#include "arithmetic.h"
#include "pixels_isa.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SUPER_TILES = SINO_SUPER_TILE * SINO_SUPER_TILE /* tiles of a super-tile */ };

typedef struct Scratch {
    SinoPixelsLines lines;
    float sum[SUPER_TILES][SINO_TILE_VOXELS];
} Scratch;

/* The best instruction set that the processor has. */
static const SinoPixelsIsa *isa(void)
{
#ifdef __x86_64__
    if (sino_vector_bytes() == 64) return &sino_pixels_avx512;
    if (sino_vector_bytes() == 32) return &sino_pixels_avx2;
#endif
    return &sino_pixels_plain;
}

const char *sino_pixels_isa_name(void)
{
    return isa()->name;
}

int64_t sino_pixels_scratch_bytes(void)
{
    return sizeof(Scratch);
}

/* One slice of a vector: element i of row r is at first[r·step]. */
typedef struct Slice {
    int64_t voxel, ray; /* its first elements in x and y */
    int64_t step;
} Slice;

static Slice slice_of(const SinoPixels *what, int64_t width, int64_t number)
{
    const int64_t first = number / width * width, rays = sino_geometry_ray_count(&what->geometry);
    return (Slice){.voxel = first * what->tile_count * SINO_TILE_VOXELS + number - first,
                   .ray = first * rays + number - first,
                   .step = sino_smaller(width, what->slices.stride - first)};
}

/* Copies the columns of an angle from `column` on; zeros beside the detector. */
static void copy_line(const SinoPixels *what, const float *y, int64_t step, int64_t column, float *line)
{
    const int64_t columns = what->geometry.column_count;
    const int64_t first = sino_smaller(sino_larger(0, -column), SINO_PIXELS_LINE);
    const int64_t end = sino_larger(first, sino_smaller(SINO_PIXELS_LINE, columns - column));
    if (step == 1 && end - first == SINO_PIXELS_LINE) { /* of a size that the compiler knows */
        memcpy(line, y + column, SINO_PIXELS_LINE * sizeof *line);
        return;
    }
    memset(line, 0, (size_t)first * sizeof *line);
    if (step == 1 && end > first)
        memcpy(line + first, y + column + first, (size_t)(end - first) * sizeof *line);
    else
        for (int64_t i = first; i < end; i++) line[i] = y[(column + i) * step];
    memset(line + end, 0, (size_t)(SINO_PIXELS_LINE - end) * sizeof *line);
}

/* The first pixel of a super-tile in the grid. */
typedef struct Corner {
    double column, row;
} Corner;

static void fill_lines(const SinoPixels *what, Corner corner, Slice slice, const float *y, int64_t first_angle,
                       SinoPixelsLines *lines)
{
    const SinoGeometry *geometry = &what->geometry;
    const double middle = 0.5 * (double)(geometry->grid_size - 1), side = SINO_SUPER_TILE * SINO_TILE - 1;
    lines->angle_count = sino_smaller(SINO_PIXELS_ANGLES, geometry->angle_count - first_angle);
    for (int64_t k = 0; k < lines->angle_count; k++) {
        const double c = cos(geometry->angle_rad[first_angle + k]), s = sin(geometry->angle_rad[first_angle + k]);
        const double at = (corner.column - middle) * c + (middle - corner.row) * s + geometry->center;
        /* A column more than the least that a pixel sees, for what single precision rounds. */
        const double least = floor(at + fmin(0, side * c) + fmin(0, -side * s)) - 1;
        const double far = SINO_PIXELS_LINE; /* beyond the detector all lines are alike */
        const double column = fmin(fmax(least, -far), (double)geometry->column_count);
        lines->cosine[k] = (float)c;
        lines->sine[k] = (float)s;
        lines->first[k] = (float)(at - least);
        copy_line(what, y + slice.ray + (first_angle + k) * geometry->column_count * slice.step, slice.step,
                  (int64_t)column, lines->line[k]);
    }
}

/* Adds the sums of a tile to its pixels inside the grid. */
static void add_sums(const SinoPixels *what, int64_t tile, Slice slice, const float *sum, float *x)
{
    const SinoTileRange rows = sino_tile_range(what->geometry.grid_size, what->tile[tile].row);
    const SinoTileRange columns = sino_tile_range(what->geometry.grid_size, what->tile[tile].column);
    float *pixel = x + slice.voxel + tile * SINO_TILE_VOXELS * slice.step;
    for (int64_t i = rows.first; i < rows.first + rows.count; i++)
        for (int64_t j = columns.first; j < columns.first + columns.count; j++)
            pixel[(i * SINO_TILE + j) * slice.step] += sum[i * SINO_TILE + j];
}

/* Tiles first … end − 1, of one super-tile. */
static void add_run(const SinoPixelsIsa *isa, const SinoPixels *what, int64_t first, int64_t end, Slice slice,
                    const float *y, Scratch *work, float *x)
{
    const SinoTilePlace place = what->tile[first];
    const int32_t row = place.row / SINO_SUPER_TILE * SINO_SUPER_TILE;
    const int32_t column = place.column / SINO_SUPER_TILE * SINO_SUPER_TILE;
    const Corner corner = {(double)sino_tile_first_voxel(what->geometry.grid_size, column),
                           (double)sino_tile_first_voxel(what->geometry.grid_size, row)};
    memset(work->sum, 0, sizeof work->sum);
    for (int64_t k = 0; k < what->geometry.angle_count; k += SINO_PIXELS_ANGLES) {
        fill_lines(what, corner, slice, y, k, &work->lines);
        for (int64_t t = first; t < end; t++)
            isa->add(&work->lines, what->tile[t].row - row, what->tile[t].column - column, work->sum[t - first]);
    }
    for (int64_t t = first; t < end; t++) add_sums(what, t, slice, work->sum[t - first], x);
}

void sino_pixels_back_with(const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *y,
                           void *scratch, float *x)
{
    for (int64_t first = 0, end; first < what->tile_count; first = end) {
        end = sino_tile_run_end(what->tile, first, what->tile_count);
        for (int64_t f = 0; f < what->slices.slice_count; f++)
            add_run(isa, what, first, end, slice_of(what, width, f), y, scratch, x);
    }
}

void sino_pixels_back(const SinoPixels *what, const float *y, void *scratch, float *x)
{
    sino_pixels_back_with(isa(), sino_panel_width(SINO_SINGLE), what, y, scratch, x);
}
