/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on a CPU core: the order of the work, the positions of rays, and the choice of the instruction set.
 *
 * Tiles are visited super-tile by super-tile, angles by angles: the rows of y that the angles of a block touch stay in
 * the second-level cache while the tiles of a super-tile use them, and the voxels of a tile in the first-level cache
 * while these angles do. */
#include "arithmetic.h"
#include "rotate_isa.h"
#include "vector.h"

#include <math.h>

const char *sino_rotate_isa_name(void)
{
    return SINO_BEST_ISA(sino_rotate)->name;
}

int64_t sino_rotate_scratch_bytes(void)
{
    return sizeof(SinoRotateWork);
}

/* Consecutive tiles of one super-tile, and the middle of that super-tile in the grid, in voxels from the axis. */
typedef struct Run {
    int64_t first, end;
    double x, y;
} Run;

/* First column or row of the grid in the super-tile of a tile. */
static int64_t super_tile_first(int64_t grid_size, int32_t tile)
{
    return sino_tile_first_voxel(grid_size, tile - tile % SINO_SUPER_TILE);
}

static Run next_run(const SinoRotate *what, int64_t first)
{
    const int64_t size = what->geometry.grid_size;
    const double middle = 0.5 * (double)(size - 1), half = 0.5 * (SINO_SUPER_TILE * SINO_TILE - 1);
    const SinoTilePlace place = what->tile[first];
    Run run = {.first = first, .end = sino_tile_run_end(what->tile, first, what->tile_count)};
    run.x = (double)super_tile_first(size, place.column) + half - middle;
    run.y = middle - (double)super_tile_first(size, place.row) - half;
    return run;
}

/* Rounds a position to a multiple of 2^−SINO_ROTATE_BITS. */
static uint32_t fixed(double position)
{
    return (uint32_t)(int64_t)floor(position * (1 << SINO_ROTATE_BITS) + 0.5);
}

/* Finds the rays and steps that come near the run at angle k. */
static void place_angle(const SinoRotate *what, const Run *run, int64_t k, SinoRotateAngle *angle)
{
    const SinoGeometry *geometry = &what->geometry;
    const double c = cos(geometry->angle_rad[k]), s = sin(geometry->angle_rad[k]);
    const double middle = 0.5 * (double)(geometry->grid_size - 1), shift = geometry->grid_size % 2 == 0 ? 0.5 : 0;
    const double half = 0.5 * (SINO_SUPER_TILE * SINO_TILE - 1) + SINO_ROTATE_REACH, reach = half * (fabs(c) + fabs(s));
    const double at_s = run->x * c + run->y * s, at_t = run->y * c - run->x * s;
    const double first = ceil(fmax(at_s - reach + geometry->center, 0));
    const double last = floor(fmin(at_s + reach + geometry->center, (double)(geometry->column_count - 1)));
    const double first_step = floor(at_t - reach - shift), last_step = ceil(at_t + reach - shift);
    angle->cosine = c;
    angle->sine = s;
    angle->first_s = first - geometry->center;
    angle->first_t = first_step + shift;
    angle->ray_count = last < first ? 0 : (int64_t)(last - first) + 1;
    angle->step_count = (int64_t)(last_step - first_step) + 1;
    angle->first_row = k * geometry->column_count + (int64_t)first;
    for (int64_t i = 0; i < angle->ray_count; i++) {
        const double at = first + (double)i - geometry->center; /* the same in every super-tile */
        angle->ray_u[i] = fixed(middle + at * c);
        angle->ray_v[i] = fixed(middle - at * s);
    }
    for (int64_t m = 0; m < angle->step_count + SINO_ROTATE_LANES; m++) {
        const double at = angle->first_t + (double)m;
        angle->step_u[m] = fixed(-at * s);
        angle->step_v[m] = fixed(-at * c);
    }
}

void sino_rotate_with(const SinoRotateIsa *isa, bool back, const SinoRotate *what, const float *from, void *scratch,
                      float *to)
{
    SinoRotateWork *work = scratch;
    SinoRotateVisit *const visit = back ? isa->back : isa->project;
    const int64_t end = what->first_angle + what->angle_count;
    for (int64_t t = 0; t < what->tile_count;) {
        const Run run = next_run(what, t);
        for (int64_t k = what->first_angle; k < end; k += SINO_ROTATE_ANGLES) {
            const int64_t count = sino_smaller(SINO_ROTATE_ANGLES, end - k);
            for (int64_t i = 0; i < count; i++) place_angle(what, &run, k + i, &work->angle[i]);
            for (int64_t n = run.first; n < run.end; n++) visit(what, n, count, work, from, to);
        }
        t = run.end;
    }
}

void sino_rotate_project(const SinoRotate *what, const float *x, void *scratch, float *y)
{
    sino_rotate_with(SINO_BEST_ISA(sino_rotate), false, what, x, scratch, y);
}

void sino_rotate_back(const SinoRotate *what, const float *y, void *scratch, float *x)
{
    sino_rotate_with(SINO_BEST_ISA(sino_rotate), true, what, y, scratch, x);
}
