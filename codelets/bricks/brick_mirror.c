/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick mirror on a CPU core: orbit of voxels after orbit, so that each cache line is met once. Orientation k takes
 * member j of an orbit to member j xor k. On planes of symmetry members coincide; each then gets the same sum again. */
#include "brick_mirror.h"

#include "vector.h"

#include <string.h>

/* Rows of the voxels of an orbit, by orientation. */
typedef struct Orbit {
    int64_t row[SINO_MIRRORS];
} Orbit;

/* Sets the padding rows of a vector to 0. */
static void clear_padding(const SinoBrickOrder *order, int64_t lanes, float *vector)
{
    if (order->row_count == order->column_count) return;
    for (int64_t row = 0; row < order->row_count; row++)
        if (order->column[row] == SINO_BRICK_NO_COLUMN) memset(vector + row * lanes, 0, (size_t)lanes * sizeof *vector);
}

SINO_INLINE void spread_orbit(const Orbit *orbit, int64_t count, int64_t stride, const float *x, float *to)
{
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; k < count; k++)
            for (int64_t s = 0; s < stride; s++)
                to[(orbit->row[j] * count + k) * stride + s] = x[orbit->row[j ^ k] * stride + s];
}

SINO_INLINE void sum_orbit(const Orbit *orbit, int64_t count, int64_t stride, const float *from, float *x)
{
    for (int64_t j = 0; j < count; j++)
        for (int64_t s = 0; s < stride; s++) {
            float sum = 0;
            for (int64_t k = 0; k < count; k++) sum += from[(orbit->row[j ^ k] * count + k) * stride + s];
            x[orbit->row[j] * stride + s] = sum;
        }
}

/* A vector of voxels and one of orientations, of which one is made of the other. */
typedef struct Vectors {
    int64_t stride;
    const float *from;
    float *to;
    bool spreads;
} Vectors;

/* `count` orientations, a constant of the callers, so that loops over them become straight code for one set. */
SINO_INLINE void take_orbit(const Vectors *vectors, const Orbit *orbit, int64_t count)
{
    const int64_t stride = vectors->stride;
    if (vectors->spreads && stride == 1)
        spread_orbit(orbit, count, 1, vectors->from, vectors->to);
    else if (vectors->spreads)
        spread_orbit(orbit, count, stride, vectors->from, vectors->to);
    else if (stride == 1)
        sum_orbit(orbit, count, 1, vectors->from, vectors->to);
    else
        sum_orbit(orbit, count, stride, vectors->from, vectors->to);
}

/* The last coordinate of an orbit's first member, and one: half the voxels of a mirrored axis. */
static int64_t end_of(int64_t count, bool mirrored)
{
    return mirrored ? (count + 1) / 2 : count;
}

/* Every orbit, by its member with the lowest coordinates. */
SINO_INLINE void walk(const SinoBrickMirror *mirror, int64_t count, const Vectors *vectors)
{
    const SinoVoxelGrid *grid = &mirror->grid;
    const uint32_t *const place = mirror->order->place;
    const int64_t slices = end_of(grid->z_count, mirror->mirrors & SINO_MIRROR_Z);
    const int64_t rows = end_of(grid->y_count, mirror->mirrors & SINO_MIRROR_Y);
    const int64_t columns = end_of(grid->x_count, mirror->mirrors & SINO_MIRROR_X);
    int64_t step[SINO_MIRRORS], first[SINO_MIRRORS];
    Orbit orbit;
    for (int64_t z = 0; z < slices; z++)
        for (int64_t y = 0; y < rows; y++) {
            for (int64_t k = 0; k < count; k++) {
                const int which = sino_orientation(mirror->mirrors, k);
                const int64_t row = which & SINO_MIRROR_Y ? grid->y_count - 1 - y : y;
                const int64_t slice = which & SINO_MIRROR_Z ? grid->z_count - 1 - z : z;
                step[k] = which & SINO_MIRROR_X ? -1 : 1;
                first[k] = (slice * grid->y_count + row) * grid->x_count + (step[k] < 0 ? grid->x_count - 1 : 0);
            }
            for (int64_t x = 0; x < columns; x++) {
                for (int64_t k = 0; k < count; k++) orbit.row[k] = place[first[k] + step[k] * x];
                take_orbit(vectors, &orbit, count);
            }
        }
}

static void walk_all(const SinoBrickMirror *mirror, const Vectors *vectors)
{
    switch (sino_brick_mirror_count(mirror)) {
    case 8:
        walk(mirror, 8, vectors);
        break;
    case 4:
        walk(mirror, 4, vectors);
        break;
    case 2:
        walk(mirror, 2, vectors);
        break;
    default:
        walk(mirror, 1, vectors);
        break;
    }
}

void sino_brick_mirror_spread(const SinoBrickMirror *mirror, int64_t stride, const float *x, float *to)
{
    clear_padding(mirror->order, sino_brick_mirror_count(mirror) * stride, to);
    walk_all(mirror, &(Vectors){.stride = stride, .from = x, .to = to, .spreads = true});
}

void sino_brick_mirror_sum(const SinoBrickMirror *mirror, int64_t stride, const float *from, float *x)
{
    clear_padding(mirror->order, stride, x);
    walk_all(mirror, &(Vectors){.stride = stride, .from = from, .to = x});
}
