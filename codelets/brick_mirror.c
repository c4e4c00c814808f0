/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick mirror on a CPU core: walks over the lines of the grid, along which mirrored columns go up or down by 1. */
#include "brick_mirror.h"

#include <stdbool.h>
#include <string.h>

/* The columns of a line of voxels along x in one orientation: first, first + step … */
typedef struct Line {
    int64_t first, step;
} Line;

static Line line_of(const SinoVoxelGrid *grid, int which, int64_t y, int64_t z)
{
    const int64_t row = which & SINO_MIRROR_Y ? grid->y_count - 1 - y : y;
    const int64_t slice = which & SINO_MIRROR_Z ? grid->z_count - 1 - z : z;
    const int64_t first = (slice * grid->y_count + row) * grid->x_count;
    return which & SINO_MIRROR_X ? (Line){first + grid->x_count - 1, -1} : (Line){first, 1};
}

/* Sets the padding rows of a vector to 0. */
static void clear_padding(const SinoBrickOrder *order, int64_t lanes, float *vector)
{
    if (order->row_count == order->column_count) return;
    for (int64_t row = 0; row < order->row_count; row++)
        if (order->column[row] == SINO_BRICK_NO_COLUMN) memset(vector + row * lanes, 0, (size_t)lanes * sizeof *vector);
}

/* What is done with the voxels of a line and those of one of its mirror images. */
typedef struct Lanes {
    int64_t stride, all, at; /* sets; lanes of a row of orientations; the first lane of this orientation */
    bool first;              /* sums begin */
} Lanes;

static void spread_line(const uint32_t *place, const Line *plain, const Line *image, int64_t count, const Lanes *lanes,
                        const float *x, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = place[plain->first + i], other = place[image->first + image->step * i];
        for (int64_t s = 0; s < lanes->stride; s++)
            to[row * lanes->all + lanes->at + s] = x[other * lanes->stride + s];
    }
}

static void sum_line(const uint32_t *place, const Line *plain, const Line *image, int64_t count, const Lanes *lanes,
                     const float *from, float *x)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = place[plain->first + i], other = place[image->first + image->step * i];
        for (int64_t s = 0; s < lanes->stride; s++) {
            const float before = lanes->first ? 0 : x[row * lanes->stride + s];
            x[row * lanes->stride + s] = before + from[other * lanes->all + lanes->at + s];
        }
    }
}

typedef void LineWork(const uint32_t *place, const Line *plain, const Line *image, int64_t count, const Lanes *lanes,
                      const float *from, float *to);

/* Every line in each orientation, while it is in L1. */
static void walk(const SinoBrickMirror *mirror, int64_t stride, LineWork *work, const float *from, float *to)
{
    const SinoVoxelGrid *grid = &mirror->grid;
    const int64_t count = sino_brick_mirror_count(mirror);
    for (int64_t z = 0; z < grid->z_count; z++)
        for (int64_t y = 0; y < grid->y_count; y++) {
            const Line plain = line_of(grid, 0, y, z);
            for (int64_t k = 0; k < count; k++) {
                const Line image = line_of(grid, sino_orientation(mirror->mirrors, k), y, z);
                const Lanes lanes = {.stride = stride, .all = count * stride, .at = k * stride, .first = k == 0};
                work(mirror->order->place, &plain, &image, grid->x_count, &lanes, from, to);
            }
        }
}

void sino_brick_mirror_spread(const SinoBrickMirror *mirror, int64_t stride, const float *x, float *to)
{
    clear_padding(mirror->order, sino_brick_mirror_count(mirror) * stride, to);
    walk(mirror, stride, spread_line, x, to);
}

void sino_brick_mirror_sum(const SinoBrickMirror *mirror, int64_t stride, const float *from, float *x)
{
    clear_padding(mirror->order, stride, x);
    walk(mirror, stride, sum_line, from, x);
}
