/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate of one instruction set: SINO_ISA names it, SINO_VECTOR_BYTES is the width of its registers.
 *
 * For an angle and a tile, the samples of its rays are placed first, 16 at a time: the first voxel that each sees, and
 * the weights along rows and columns. A sample beside the tile gets the tile's voxels nearest to it, whose weights then
 * are 0 or those of its share in this tile. The list serves all panels and both directions. */
#include "rotate_isa.h"
#include "rotate_tables.h"

#include "arithmetic.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define UNROLL _Pragma("GCC unroll 8")

enum { ONE = 1 << SINO_ROTATE_BITS };
static const float unit = 1.0F / ONE;

#define NAME(x) x##_1
#define WIDTH   1
#include "rotate_tmpl.c"
#define NAME(x) x##_2
#define WIDTH   2
#include "rotate_tmpl.c"
#define NAME(x) x##_4
#define WIDTH   4
#include "rotate_tmpl.c"
#define NAME(x) x##_8
#define WIDTH   8
#include "rotate_tmpl.c"
#if SINO_VECTOR_BYTES >= 32
#define NAME(x) x##_16
#define WIDTH   16
#include "rotate_tmpl.c"
#endif
#if SINO_VECTOR_BYTES >= 64
#define NAME(x) x##_32
#define WIDTH   32
#include "rotate_tmpl.c"
#endif

/* ---- samples ---- */

enum { LANES = SINO_VECTOR_BYTES / 4, PANEL = 2 * LANES /* slices */ };
typedef int32_t Ints __attribute__((vector_size(SINO_VECTOR_BYTES), aligned(4), may_alias));
typedef uint32_t Words __attribute__((vector_size(SINO_VECTOR_BYTES), aligned(4), may_alias));
typedef float Floats __attribute__((vector_size(SINO_VECTOR_BYTES), aligned(4), may_alias));

/* −1 where a is below 0, else 0. */
SINO_INLINE Ints is_negative(Ints a)
{
    /* cppcheck-suppress shiftTooManyBitsSigned; compilers with such vectors keep the sign */
    return a >> 31;
}

/* a where it is above 0, else 0. */
SINO_INLINE Ints positive(Ints a)
{
    return a & ~is_negative(a);
}

SINO_INLINE Ints lesser(Ints a, int32_t b)
{
    const Ints left = b - a;
    return a + (left & is_negative(left));
}

/* Weights of the voxels at a distance from the samples, in units of 2^−SINO_ROTATE_BITS. */
SINO_INLINE Floats weights_of(int taps, Ints distance)
{
    const Ints sign = is_negative(distance), d = (distance ^ sign) - sign;
    if (taps == 2) return __builtin_convertvector(positive(ONE - d), Floats) * unit;
    /* Keys: (3d³ − 5d² + 2)/2 up to 1, (−d³ + 5d² − 8d + 4)/2 = (1 − d)(2 − d)²/2 up to 2. */
    const Floats size = __builtin_convertvector(d, Floats) * unit;
    const Floats outer = __builtin_convertvector(positive(2 * ONE - d), Floats) * unit;
    const Floats within_1 = 1 + size * size * (1.5F * size - 2.5F), beyond = 0.5F * (1 - size) * outer * outer;
    const Ints is_within = is_negative(d - ONE);
    return (Floats)(((Ints)within_1 & is_within) | ((Ints)beyond & ~is_within));
}

/* Places samples along one axis: `base` is the position of the ray, from the tile's first voxel. Of the voxels that a
 * sample sees, the first one is at most SINO_TILE − taps. */
SINO_INLINE Ints place_axis(int taps, uint32_t base, const uint32_t *step, float *weight)
{
    const int32_t shift = taps == 1 ? ONE / 2 : (taps == 2 ? 0 : -ONE);
    const Ints position = (Ints)(*(const Words *)step + base);
    const Ints cell = (position + shift) >> SINO_ROTATE_BITS, voxel = lesser(positive(cell), SINO_TILE - taps);
    if (taps == 1) {
        const Ints beside = voxel - cell, is_beside = is_negative(beside | -beside);
        *(Floats *)weight = __builtin_convertvector(1 + is_beside, Floats);
    } else
        UNROLL for (int k = 0; k < taps; k++) * (Floats *)(weight + (ptrdiff_t)k * SINO_ROTATE_SAMPLES) =
            weights_of(taps, position - (voxel + k) * ONE);
    return voxel;
}

/* The steps q of ray p, both from the middle of the tile, that come near the tile: its sample lies at (p·c − q·s, p·s +
 * q·c), and neither may be further than the reach. */
typedef struct Near {
    float slope[2], width[2];
} Near;

static Near near_tile(float c, float s, float reach)
{
    const float least = 1e-9F;
    const float by_s = fabsf(s) > least ? 1 / s : copysignf(1 / least, s);
    const float by_c = fabsf(c) > least ? 1 / c : copysignf(1 / least, c);
    return (Near){.slope = {c * by_s, -s * by_c}, .width = {reach * fabsf(by_s), reach * fabsf(by_c)}};
}

SINO_INLINE float first_step(const Near *near, float p)
{
    const float a = p * near->slope[0] - near->width[0], b = p * near->slope[1] - near->width[1];
    return a > b ? a : b;
}

SINO_INLINE float last_step(const Near *near, float p)
{
    const float a = p * near->slope[0] + near->width[0], b = p * near->slope[1] + near->width[1];
    return a < b ? a : b;
}

/* A tile in the grid: its first voxel, its middle from the axis, and its voxels inside the grid. */
typedef struct Tile {
    uint32_t u, v;
    double x, y;
    SinoTileRange columns, rows;
} Tile;

static Tile tile_of(const SinoRotate *what, int64_t number)
{
    const int64_t size = what->geometry.grid_size;
    const SinoTilePlace place = what->tile[number];
    const int64_t column = sino_tile_first_voxel(size, place.column), row = sino_tile_first_voxel(size, place.row);
    const double middle = 0.5 * (double)(size - 1), half = 0.5 * (SINO_TILE - 1);
    return (Tile){.u = (uint32_t)column << SINO_ROTATE_BITS,
                  .v = (uint32_t)row << SINO_ROTATE_BITS,
                  .x = (double)column + half - middle,
                  .y = middle - (double)row - half,
                  .columns = sino_tile_range(size, place.column),
                  .rows = sino_tile_range(size, place.row)};
}

/* Lists the samples of the angle's rays in the tile. A few more than reach it are listed, with weights 0. */
SINO_INLINE void place_samples(int taps, const Tile *tile, const SinoRotateAngle *angle, SinoRotateSamples *samples)
{
    const float slack = 0.01F;
    const float reach = 0.5F * (SINO_TILE - 1) + (taps == 1 ? 0.5F : 0.5F * (float)taps) + slack;
    const double at_s = tile->x * angle->cosine + tile->y * angle->sine - angle->first_s;
    const double at_t = tile->y * angle->cosine - tile->x * angle->sine - angle->first_t;
    const double across = (double)reach * (fabs(angle->cosine) + fabs(angle->sine));
    const int64_t first = sino_larger((int64_t)ceil(at_s - across), 0);
    const int64_t end = sino_smaller((int64_t)floor(at_s + across) + 1, angle->ray_count);
    const Near near = near_tile((float)angle->cosine, (float)angle->sine, reach);
    const float most = (float)(angle->step_count - 1);
    int32_t count = 0;
    samples->first_row = angle->first_row + first;
    samples->ray_count = sino_larger(end - first, 0);
    samples->begin[0] = 0;
    for (int64_t i = first; i < end; i++) {
        const float p = (float)((double)i - at_s), from = first_step(&near, p) + (float)at_t,
                    to = last_step(&near, p) + (float)at_t;
        const int32_t m = (int32_t)ceilf(from > 0 ? from : 0), last = (int32_t)floorf(to < most ? to : most);
        for (int32_t n = m; n <= last; n += LANES) {
            const int32_t at = count + n - m;
            const Ints column = place_axis(taps, angle->ray_u[i] - tile->u, angle->step_u + n, &samples->u[0][at]);
            const Ints row = place_axis(taps, angle->ray_v[i] - tile->v, angle->step_v + n, &samples->v[0][at]);
            *(Ints *)(samples->voxel + at) = row * SINO_ROTATE_ROW + column;
        }
        count += last < m ? 0 : last - m + 1;
        samples->begin[i - first + 1] = count;
    }
}

static bool within(SinoTileRange range, int32_t voxel)
{
    return voxel >= range.first && voxel < range.first + range.count;
}

/* Voxels outside the grid take no part. */
static void leave_out(int taps, const Tile *tile, SinoRotateSamples *samples)
{
    if (tile->columns.count == SINO_TILE && tile->rows.count == SINO_TILE) return;
    for (int32_t i = 0; i < samples->begin[samples->ray_count]; i++)
        for (int k = 0; k < taps; k++) {
            if (!within(tile->columns, samples->voxel[i] % SINO_ROTATE_ROW + k)) samples->u[k][i] = 0;
            if (!within(tile->rows, samples->voxel[i] / SINO_ROTATE_ROW + k)) samples->v[k][i] = 0;
        }
}

static void list_samples(const SinoRotate *what, int64_t number, const SinoRotateAngle *angle,
                         SinoRotateSamples *samples)
{
    const Tile tile = tile_of(what, number);
    const int taps = sino_rotate_taps(what->interpolation);
    if (taps == 1)
        place_samples(1, &tile, angle, samples);
    else if (taps == 2)
        place_samples(2, &tile, angle, samples);
    else
        place_samples(4, &tile, angle, samples);
    leave_out(taps, &tile, samples);
}

/* ---- visits ---- */

typedef void Product(int taps, const SinoRotateSamples *samples, const float *from, float *to);

/* The products of panels of 2^i slices. */
static Product *const projects[] = {project_by_1,  project_by_2, project_by_4, project_by_8,
#if SINO_VECTOR_BYTES >= 32
                                    project_by_16,
#endif
#if SINO_VECTOR_BYTES >= 64
                                    project_by_32
#endif
};
static Product *const backs[] = {back_by_1,  back_by_2, back_by_4, back_by_8,
#if SINO_VECTOR_BYTES >= 32
                                 back_by_16,
#endif
#if SINO_VECTOR_BYTES >= 64
                                 back_by_32
#endif
};

/* Copies the rows of a tile, each of `row` floats, from and to work memory. */
static void copy_rows(int64_t row, const float *from, int64_t from_stride, float *to, int64_t to_stride)
{
    for (int64_t i = 0; i < SINO_TILE; i++)
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)row * sizeof *to);
}

/* One panel of the vectors: the tile's rows of x, and all rows of y. */
static void visit_panel(bool is_back, int taps, int64_t width, int64_t angle_count, SinoRotateWork *work, float *x,
                        float *y)
{
    const int lanes = __builtin_ctzll((unsigned long long)width);
    const int64_t row = SINO_TILE * width, stride = SINO_ROTATE_ROW * width;
    copy_rows(row, x, row, work->tile, stride);
    for (int64_t k = 0; k < angle_count; k++) {
        const SinoRotateSamples *samples = &work->samples[k];
        float *const ray = y + samples->first_row * width;
        if (is_back)
            backs[lanes](taps, samples, ray, work->tile);
        else
            projects[lanes](taps, samples, work->tile, ray);
    }
    if (is_back) copy_rows(row, work->tile, stride, x, row);
}

static void visit(bool is_back, const SinoRotate *what, int64_t number, int64_t angle_count, SinoRotateWork *work,
                  float *x, float *y)
{
    const int64_t voxels = what->tile_count * SINO_TILE_VOXELS;
    const int64_t rays = what->geometry.angle_count * what->geometry.column_count;
    const int64_t stride = what->slices.stride;
    for (int64_t k = 0; k < angle_count; k++) list_samples(what, number, &work->angle[k], &work->samples[k]);
    for (int64_t first = 0, width; first < stride; first += width) {
        width = sino_smaller(stride - first, PANEL); /* as in panel.h */
        float *const tile = x + first * voxels + number * SINO_TILE_VOXELS * width;
        visit_panel(is_back, sino_rotate_taps(what->interpolation), width, angle_count, work, tile, y + first * rays);
    }
}

/* The vector that is read is not written. */
static void project(const SinoRotate *what, int64_t number, int64_t angle_count, SinoRotateWork *work,
                    const float *from, float *to)
{
    visit(false, what, number, angle_count, work, (float *)from, to);
}

static void back(const SinoRotate *what, int64_t number, int64_t angle_count, SinoRotateWork *work, const float *from,
                 float *to)
{
    visit(true, what, number, angle_count, work, to, (float *)from);
}

const SinoRotateIsa SINO_ISA_OBJECT(sino_rotate,
                                    SINO_ISA) = {.name = SINO_ISA_TEXT(SINO_ISA), .project = project, .back = back};
