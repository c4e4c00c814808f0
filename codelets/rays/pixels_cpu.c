/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels on a CPU core: the order of the work, and the choice of the instruction set.
 *
 * The work goes super-tile by super-tile and up to four slices by four slices. The part of the projections that a
 * super-tile sees is copied, angles by angles, with zeros beside the detector: 16 tiles then read it from the
 * first-level cache. */
#include "arithmetic.h"
#include "pixels_isa.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SUPER_TILES = SINO_SUPER_TILE * SINO_SUPER_TILE /* tiles of a super-tile */ };

typedef union Scratch {
    struct {
        SinoPixelsLines lines;
        float sum[SUPER_TILES][SINO_PIXELS_SLICES][SINO_TILE_VOXELS];
    } back;
    struct {
        SinoPixelsImage image[SINO_PIXELS_SLICES];
        SinoPixelsRays rays;
    } forth;
} Scratch;

const char *sino_pixels_isa_name(void)
{
    return SINO_BEST_ISA(sino_pixels)->name;
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

/* Slices whose products are computed together. */
typedef struct Group {
    int64_t count; /* 1, 2 or 4 */
    Slice slice[SINO_PIXELS_SLICES];
} Group;

static Group group_of(const SinoPixels *what, int64_t width, int64_t first)
{
    const int64_t left = what->slices.slice_count - first;
    Group group = {.count = left >= SINO_PIXELS_SLICES ? SINO_PIXELS_SLICES : left >= 2 ? 2 : 1};
    for (int64_t s = 0; s < group.count; s++) group.slice[s] = slice_of(what, width, first + s);
    return group;
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

/* An angle in a super-tile: the first pixel is at `at` on the detector, the next one of the row `cosine`, of the column
 * −`sine` further. */
typedef struct Turn {
    double cosine, sine, at;
    double low, high; /* of all pixels, least and largest place on the detector */
    double wide, narrow; /* larger and smaller of |cosine| and |sine|, the latter not below 2⁻¹⁰, of strips 2⁻²⁰ */
    double reach;        /* SinoPixelsLines.reach */
} Turn;

static Turn turn_of(const SinoPixels *what, Corner corner, int64_t angle)
{
    const SinoGeometry *geometry = &what->geometry;
    const double least = what->weights == SINO_PIXELS_STRIPS ? 0x1p-20 : 0x1p-10;
    const double middle = 0.5 * (double)(geometry->grid_size - 1), side = SINO_PIXELS_SIDE - 1;
    const double c = cos(geometry->angle_rad[angle]), s = sin(geometry->angle_rad[angle]);
    const double at = (corner.column - middle) * c + (middle - corner.row) * s + geometry->center;
    const double wide = fmax(fabs(c), fabs(s)), narrow = fmax(fmin(fabs(c), fabs(s)), least);
    return (Turn){.cosine = c,
                  .sine = s,
                  .at = at,
                  .low = at + fmin(0, side * c) + fmin(0, -side * s),
                  .high = at + fmax(0, side * c) + fmax(0, -side * s),
                  .wide = wide,
                  .narrow = narrow,
                  .reach = 0.5 * (wide + narrow) / narrow};
}

static void fill_line(const SinoPixels *what, Slice slice, const float *y, int64_t angle, int64_t column, double wide,
                      float *line)
{
    const int64_t ray = angle * what->geometry.column_count;
    copy_line(what, y + slice.ray + ray * slice.step, slice.step, column, line);
    if (what->weights != SINO_PIXELS_LINEAR)
        for (int i = 0; i < SINO_PIXELS_LINE; i++) line[i] *= (float)(1 / wide);
}

static void fill_lines(const SinoPixels *what, Corner corner, const Group *group, const float *y, int64_t first_angle,
                       SinoPixelsLines *lines)
{
    const SinoGeometry *geometry = &what->geometry;
    lines->slice_count = group->count;
    lines->angle_count = sino_smaller(SINO_PIXELS_ANGLES, what->first_angle + what->angle_count - first_angle);
    for (int64_t k = 0; k < lines->angle_count; k++) {
        const Turn turn = turn_of(what, corner, first_angle + k);
        /* A column more than the least that a pixel sees, for what single precision rounds. */
        const double least = floor(turn.low) - 1;
        const double far = SINO_PIXELS_LINE; /* beyond the detector all lines are alike */
        const double column = fmin(fmax(least, -far), (double)geometry->column_count);
        lines->cosine[k] = (float)turn.cosine;
        lines->sine[k] = (float)turn.sine;
        /* With strips the places are those from the middle of the first column that sees a pixel. */
        lines->first[k] = (float)(turn.at - least - (what->weights == SINO_PIXELS_STRIPS ? 0.5 : 0));
        lines->reach[k] = (float)turn.reach;
        lines->slope[k] = (float)(1 / turn.narrow);
        for (int64_t f = 0; f < group->count; f++)
            fill_line(what, group->slice[f], y, first_angle + k, (int64_t)column, turn.wide, lines->line[f][k]);
    }
}

/* Copies the pixels of a tile inside the grid to its sums, or back. */
static void copy_sums(const SinoPixels *what, int64_t tile, Slice slice, bool back, float *sum, float *x)
{
    const SinoTileRange rows = sino_tile_range(what->geometry.grid_size, what->tile[tile].row);
    const SinoTileRange columns = sino_tile_range(what->geometry.grid_size, what->tile[tile].column);
    float *pixel = x + slice.voxel + tile * SINO_TILE_VOXELS * slice.step;
    for (int64_t i = rows.first; i < rows.first + rows.count; i++)
        for (int64_t j = columns.first; j < columns.first + columns.count; j++)
            if (back)
                pixel[(i * SINO_TILE + j) * slice.step] = sum[i * SINO_TILE + j];
            else
                sum[i * SINO_TILE + j] = pixel[(i * SINO_TILE + j) * slice.step];
}

/* Tiles first … end − 1 of a vector lie in one super-tile. */
typedef struct Run {
    int64_t first, end;
    int32_t row, column; /* of the super-tile's first tile */
    Corner corner;
} Run;

static Run run_from(const SinoPixels *what, int64_t first)
{
    const SinoTilePlace place = what->tile[first];
    const int32_t row = place.row / SINO_SUPER_TILE * SINO_SUPER_TILE;
    const int32_t column = place.column / SINO_SUPER_TILE * SINO_SUPER_TILE;
    return (Run){.first = first,
                 .end = sino_tile_run_end(what->tile, first, what->tile_count),
                 .row = row,
                 .column = column,
                 .corner = {(double)sino_tile_first_voxel(what->geometry.grid_size, column),
                            (double)sino_tile_first_voxel(what->geometry.grid_size, row)}};
}

static void copy_run(const SinoPixels *what, Run run, const Group *group, bool back, Scratch *work, float *x)
{
    for (int64_t t = run.first; t < run.end; t++)
        for (int64_t f = 0; f < group->count; f++)
            copy_sums(what, t, group->slice[f], back, work->back.sum[t - run.first][f], x);
}

static void add_run(const SinoPixelsIsa *isa, const SinoPixels *what, Run run, const Group *group, const float *y,
                    Scratch *work, float *x)
{
    SinoPixelsTile *const add = isa->add[what->weights];
    const int64_t end_angle = what->first_angle + what->angle_count;
    memset(work->back.sum, 0, sizeof work->back.sum);
    copy_run(what, run, group, false, work, x);
    for (int64_t k = what->first_angle; k < end_angle; k += SINO_PIXELS_ANGLES) {
        fill_lines(what, run.corner, group, y, k, &work->back.lines);
        for (int64_t t = run.first; t < run.end; t++)
            add(&work->back.lines, what->tile[t].row - run.row, what->tile[t].column - run.column,
                work->back.sum[t - run.first][0]);
    }
    copy_run(what, run, group, true, work, x);
}

/* Adds the product of a run and a group of slices. */
typedef void AddRun(const SinoPixelsIsa *isa, const SinoPixels *what, Run run, const Group *group, const float *from,
                    Scratch *work, float *to);

static void each_run(AddRun *add, const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *from,
                     Scratch *work, float *to)
{
    for (int64_t first = 0; first < what->tile_count;) {
        const Run run = run_from(what, first);
        for (int64_t f = 0; f < what->slices.slice_count;) {
            const Group group = group_of(what, width, f);
            add(isa, what, run, &group, from, work, to);
            f += group.count;
        }
        first = run.end;
    }
}

void sino_pixels_back_with(const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *y,
                           void *scratch, float *x)
{
    each_run(add_run, isa, width, what, y, scratch, x);
}

void sino_pixels_back(const SinoPixels *what, const float *y, void *scratch, float *x)
{
    sino_pixels_back_with(SINO_BEST_ISA(sino_pixels), sino_panel_width(SINO_SINGLE), what, y, scratch, x);
}

/* ---- projection ---- */

/* Whether the run has all pixels of its super-tile. */
static bool is_whole(const SinoPixels *what, Run run)
{
    int64_t pixels = 0;
    for (int64_t t = run.first; t < run.end; t++)
        pixels += sino_tile_range(what->geometry.grid_size, what->tile[t].row).count *
                  sino_tile_range(what->geometry.grid_size, what->tile[t].column).count;
    return pixels == (int64_t)SINO_PIXELS_SIDE * SINO_PIXELS_SIDE;
}

/* Copies the pixels of a run's tiles that lie in the grid; others are 0. What is beside the image is 0 already. turned:
 * rows and columns are exchanged. */
static void copy_image(const SinoPixels *what, Run run, Slice slice, const float *x, bool turned, SinoPixelsImage image)
{
    const int64_t emptied = is_whole(what, run) ? 0 : SINO_PIXELS_SIDE;
    for (int64_t i = 0; i < emptied; i++) memset(image[i] + SINO_PIXELS_ROOM, 0, SINO_PIXELS_SIDE * sizeof **image);
    for (int64_t t = run.first; t < run.end; t++) {
        const SinoTileRange rows = sino_tile_range(what->geometry.grid_size, what->tile[t].row);
        const SinoTileRange columns = sino_tile_range(what->geometry.grid_size, what->tile[t].column);
        const float *pixel = x + slice.voxel + t * SINO_TILE_VOXELS * slice.step;
        const int64_t row = (int64_t)(what->tile[t].row - run.row) * SINO_TILE;
        const int64_t column = (int64_t)(what->tile[t].column - run.column) * SINO_TILE;
        for (int64_t i = rows.first; i < rows.first + rows.count; i++)
            for (int64_t j = columns.first; j < columns.first + columns.count; j++) {
                const float value = pixel[(i * SINO_TILE + j) * slice.step];
                if (turned)
                    image[column + j][SINO_PIXELS_ROOM + row + i] = value;
                else
                    image[row + i][SINO_PIXELS_ROOM + column + j] = value;
            }
    }
}

/* The rays of an angle that can meet the super-tile; returns the column of the first. Pixels follow along the axis on
 * which their columns are farther apart: rows of the image, or of the turned one. */
static int64_t fill_rays(const SinoPixels *what, const Turn *turn, bool turned, SinoPixelsRays *rays)
{
    const SinoGeometry *geometry = &what->geometry;
    const double width = what->weights == SINO_PIXELS_STRIPS ? 1 : 0;
    const double half = 0.5 * (turn->wide + turn->narrow + width) + 1e-3;
    const double first = fmax(0, ceil(turn->low - half));
    const double last = fmin((double)geometry->column_count - 1, floor(turn->high + half));
    const double along = turned ? -turn->sine : turn->cosine, across = turned ? turn->cosine : -turn->sine;
    rays->first = (first - turn->at) / along;
    rays->ray = 1 / along;
    rays->row = -across / along;
    rays->reach = (float)turn->reach;
    rays->slope = (float)(turn->wide / turn->narrow);
    rays->half = (float)(0.5 / turn->wide);
    rays->count = last >= first ? (int64_t)(last - first) + 1 : 0;
    return (int64_t)first;
}

/* Projects to the angles whose rays follow the rows of the image, or of the turned one. */
static void project_some(const SinoPixelsIsa *isa, const SinoPixels *what, Run run, const Group *group, const float *x,
                         bool turned, Scratch *work, float *y)
{
    const int64_t columns = what->geometry.column_count;
    SinoPixelsRays *const rays = &work->forth.rays;
    bool copied = false;
    rays->slice_count = group->count;
    for (int64_t k = what->first_angle; k < what->first_angle + what->angle_count; k++) {
        const Turn turn = turn_of(what, run.corner, k);
        if ((fabs(turn.sine) > fabs(turn.cosine)) != turned) continue;
        const int64_t first = fill_rays(what, &turn, turned, rays);
        /* A strip is an integral over places, which are `wide` columns each, and the mean over a column. */
        const float scale = what->weights == SINO_PIXELS_STRIPS ? 1 : (float)(1 / turn.wide);
        if (rays->count == 0) continue;
        for (int64_t f = 0; f < group->count && !copied; f++)
            copy_image(what, run, group->slice[f], x, turned, work->forth.image[f]);
        copied = true;
        isa->project[what->weights](work->forth.image, rays);
        for (int64_t f = 0; f < group->count; f++) {
            const Slice slice = group->slice[f];
            float *const ray = y + slice.ray + (k * columns + first) * slice.step;
            for (int64_t i = 0; i < rays->count; i++) ray[i * slice.step] += rays->sum[f][i] * scale;
        }
    }
}

static void project_run(const SinoPixelsIsa *isa, const SinoPixels *what, Run run, const Group *group, const float *x,
                        Scratch *work, float *y)
{
    project_some(isa, what, run, group, x, false, work, y);
    project_some(isa, what, run, group, x, true, work, y);
}

void sino_pixels_project_with(const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *x,
                              void *scratch, float *y)
{
    Scratch *const work = scratch;
    memset(work->forth.image, 0, sizeof work->forth.image);
    each_run(project_run, isa, width, what, x, work, y);
}

void sino_pixels_project(const SinoPixels *what, const float *x, void *scratch, float *y)
{
    sino_pixels_project_with(SINO_BEST_ISA(sino_pixels), sino_panel_width(SINO_SINGLE), what, x, scratch, y);
}
