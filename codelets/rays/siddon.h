/* SPDX-License-Identifier: BSD-3-Clause */
/* Siddon: the voxels of a tile that a ray crosses, and the lengths in them (R. L. Siddon, Med. Phys. 12, 252 (1985)),
 * on CPUs and GPUs.
 *
 * u runs right from the grid's left edge, v down from its top edge; a ray is u·cosθ − v·sinθ = ρ. The ray advances
 * along the axis to which it is closer, so that each step of one voxel crosses at most one edge of the other axis.
 * Positions are relative to the grid, not to the tile: neighbouring tiles compute the same bits, so every length along
 * their common border is counted in exactly one of them. Sources that include this header are compiled without fused
 * multiply-adds, so that every processor and GPU computes the same bits. */
#pragma once

#include "trace.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>

enum {
    SINO_RAY_VOXELS = 2 * SINO_TILE,        /* most voxels of a tile that a ray crosses */
    SINO_ANGLE_RAYS = SINO_TILE * 3 / 2 + 3 /* most rays of one angle that cross a tile: √2·T and rounding */
};

/* Lengths below this share of a voxel are rounding errors, and are dropped. */
#define SINO_LEAST_LENGTH 1e-10

/* The part of a tile inside the grid. */
typedef struct SinoFrame {
    double left, top;          /* of its corner, in the grid */
    int width, height;         /* voxels */
    int column, row;           /* of its corner, in the tile */
    double middle_u, middle_v; /* centre of the whole tile, in the grid */
} SinoFrame;

SINO_INLINE SinoFrame sino_frame_of(int64_t grid_size, SinoTilePlace tile)
{
    const SinoTileRange across = sino_tile_range(grid_size, tile.column), down = sino_tile_range(grid_size, tile.row);
    const double u = (double)sino_tile_first_voxel(grid_size, tile.column),
                 v = (double)sino_tile_first_voxel(grid_size, tile.row);
    SinoFrame frame;
    frame.left = u + (double)across.first;
    frame.top = v + (double)down.first;
    frame.width = (int)across.count;
    frame.height = (int)down.count;
    frame.column = (int)across.first;
    frame.row = (int)down.first;
    frame.middle_u = u + SINO_TILE / 2.0;
    frame.middle_v = v + SINO_TILE / 2.0;
    return frame;
}

SINO_INLINE double sino_lesser(double a, double b)
{
    return a < b ? a : b;
}

SINO_INLINE double sino_greater(double a, double b)
{
    return a > b ? a : b;
}

/* Rays of one angle that can cross the tile: columns first … last; rho0: ρ of column 0. */
typedef struct SinoFan {
    double cosine, sine, rho0;
    int64_t first, last; /* one more where rounding leaves it open */
} SinoFan;

SINO_INLINE SinoFan sino_fan_of(int64_t grid_size, int64_t column_count, double center, const SinoFrame *frame,
                                double cosine, double sine)
{
    const double half = (double)grid_size / 2, corner = frame->left * cosine - frame->top * sine;
    const double low = corner + sino_lesser(0, frame->width * cosine) + sino_lesser(0, -frame->height * sine);
    const double high = corner + sino_greater(0, frame->width * cosine) + sino_greater(0, -frame->height * sine);
    const double last_column = (double)(column_count - 1), rounding = 1e-6;
    SinoFan fan;
    fan.cosine = cosine;
    fan.sine = sine;
    fan.rho0 = half * (cosine - sine) - center;
    fan.first = (int64_t)sino_greater(0, ceil(low - fan.rho0 - rounding));
    fan.last = (int64_t)sino_lesser(last_column, floor(high - fan.rho0 + rounding));
    return fan;
}

/* Signed distance of a ray of the fan from the tile's center; rays of one group have nearly the same. */
SINO_INLINE double sino_fan_offset(const SinoFan *fan, const SinoFrame *frame, double rho)
{
    return rho - (frame->middle_u * fan->cosine - frame->middle_v * fan->sine);
}

/* One axis of the part of a tile inside the grid: its first voxel in the grid (`first`) and in the tile (`offset`), the
 * number of voxels, and the stride between their numbers. */
typedef struct SinoAxis {
    double first;
    int offset, count, stride;
} SinoAxis;

/* A ray in a tile. It advances along `along`; its position on `across` is start + along·slope with |slope| ≤ 1. */
typedef struct SinoRayPath {
    SinoAxis along, across;
    double start, slope;
    bool on_line; /* the ray runs along a grid line */
    double line;  /* position of that line */
} SinoRayPath;

/* Decides in grid coordinates whether the ray runs along a grid line, so that all tiles agree: its last bits would put
 * it on one side or the other. */
SINO_INLINE SinoRayPath sino_ray_path(const SinoFrame *frame, const SinoFan *fan, double grid_size, double rho)
{
    const SinoAxis right = {frame->left, frame->column, frame->width, 1};
    const SinoAxis down = {frame->top, frame->row, frame->height, SINO_TILE};
    const bool steep = fabs(fan->sine) < fabs(fan->cosine);
    const double rounding = 1e-9;
    SinoRayPath path;
    path.along = steep ? down : right;
    path.across = steep ? right : down;
    path.start = steep ? rho / fan->cosine : -rho / fan->sine;
    path.slope = steep ? fan->sine / fan->cosine : fan->cosine / fan->sine;
    const double middle = path.start + path.slope * grid_size / 2;
    path.line = floor(middle + 0.5);
    path.on_line = fabs(path.slope) * grid_size < rounding && fabs(middle - path.line) < rounding;
    return path;
}

/* One step along: voxel `lower` on the other axis, counted from the first voxel of the tile inside the grid, the next
 * voxel (upper), and the lengths in both. */
typedef struct SinoRayStep {
    int32_t lower;
    double lower_length, upper_length;
} SinoRayStep;

/* Step i. The share of the upper voxel is 0 if no edge is crossed. */
SINO_INLINE SinoRayStep sino_ray_step(const SinoRayPath *path, int i)
{
    const double full = sqrt(1 + path->slope * path->slope), width = sino_greater(fabs(path->slope), 1e-300);
    const double from = path->start + (path->along.first + i) * path->slope;
    const double to = path->start + (path->along.first + (i + 1)) * path->slope;
    const double lower = floor(sino_lesser(from, to));
    const double upper = sino_lesser(sino_greater((sino_greater(from, to) - (lower + 1)) / width, 0), 1);
    const SinoRayStep step = {(int32_t)(lower - path->across.first), (1 - upper) * full, upper * full};
    return step;
}

/* A step along a grid line: half of the length belongs to the voxel on either side. */
SINO_INLINE SinoRayStep sino_ray_line_step(const SinoRayPath *path)
{
    const SinoRayStep step = {(int32_t)(path->line - path->across.first) - 1, 0.5, 0.5};
    return step;
}
