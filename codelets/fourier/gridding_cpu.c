/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding: Aᵀ on a CPU core.
 *
 * The places of a ray's terms on the grid, their weights, and the factors of the frequencies are computed once for a
 * few slices. Of each slice, a projection is transformed, multiplied by the factors, and spread on the slice's grid. */
#include "gridding.h"

#include "fast_size.h"
#include "memory.h"
#include "polar_grid.h"
#include "turn.h"
#include "vector.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 16,              /* floats of a cache line */
    TOGETHER = 4,           /* slices of a group at most */
    GRIDS_BYTES = 280 << 20 /* of a group's grids, unless one slice needs more */
};

typedef struct Complex {
    float real, imaginary;
} Complex;

struct SinoGridding {
    SinoGeometry geometry;
    int64_t detector; /* D */
    SinoPolarGrid *grid;
    fftwf_plan row; /* of a projection, in place */
};

int64_t sino_gridding_detector(const SinoGeometry *geometry)
{
    return sino_fast_size(2 * sino_larger(sino_larger(geometry->grid_size, geometry->column_count), SINO_TILE));
}

/* Slices of a group: they share the work of a ray that does not depend on the slice. */
static int64_t group_slices(int64_t grid_size)
{
    const int64_t fit = GRIDS_BYTES / sino_polar_grid_sum_bytes(grid_size, SINO_SINGLE);
    return sino_larger(1, sino_smaller(fit, TOGETHER));
}

double sino_gridding_flops(const SinoGeometry *geometry)
{
    const double detector = (double)sino_gridding_detector(geometry), rays = (double)geometry->angle_count;
    return sino_polar_grid_flops(geometry->grid_size, rays * detector / 2) + 2.5 * rays * detector * log2(detector);
}

/* ---- scratch memory ---- */

/* Sums of a group's grids, their finished rows, places of a ray's terms, factors of frequencies, a projection. */
typedef struct Scratch {
    char *sums; /* [slice of the group][grid_bytes] */
    int64_t grid_bytes;
    void *rows, *places;
    Complex *factor; /* [D/2] */
    float *row;      /* [D + 2] */
} Scratch;

static int64_t row_bytes(int64_t detector)
{
    return sino_ceil_multiple(detector + 2, LINE) * (int64_t)sizeof(float);
}

/* The parts of scratch memory; returns their bytes. */
static int64_t divide(const SinoGeometry *geometry, char *memory, Scratch *scratch)
{
    const int64_t size = geometry->grid_size, detector = sino_gridding_detector(geometry);
    const int64_t grid = sino_ceil_multiple(sino_polar_grid_sum_bytes(size, SINO_SINGLE), 64);
    const int64_t rows = sino_times(group_slices(size), grid);
    const int64_t places = rows + sino_ceil_multiple(sino_polar_grid_row_bytes(size, SINO_SINGLE), 64);
    const int64_t factor = places + sino_polar_grid_place_bytes(detector / 2, SINO_SINGLE);
    const int64_t row = factor + row_bytes(detector);
    if (scratch)
        *scratch = (Scratch){.sums = memory,
                             .grid_bytes = grid,
                             .rows = memory + rows,
                             .places = memory + places,
                             .factor = (Complex *)(void *)(memory + factor),
                             .row = (float *)(void *)(memory + row)};
    return row + row_bytes(detector);
}

int64_t sino_gridding_scratch_bytes(const SinoGeometry *geometry)
{
    return divide(geometry, NULL, NULL);
}

/* ---- creation ---- */

/* FFTW_ESTIMATE makes the same plan in every run; it fits memory that is aligned alike. */
static SinoStatus fill(SinoGridding *gridding)
{
    const int detector = (int)gridding->detector;
    SINO_TRY(sino_polar_grid_new(gridding->geometry.grid_size, SINO_SINGLE, &gridding->grid));
    float *row = sino_allocate_large(row_bytes(detector));
    SINO_CHECK(row, SINO_FAILED, "no memory for a projection of %d columns", detector);
    gridding->row = fftwf_plan_dft_r2c_1d(detector, row, (void *)row, FFTW_ESTIMATE);
    sino_free_large(row);
    SINO_CHECK(gridding->row, SINO_FAILED, "FFTW made no plan for %d points", detector);
    return NULL;
}

SinoStatus sino_gridding_new(const SinoGeometry *geometry, SinoGridding **gridding)
{
    SinoGridding *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoGridding){.geometry = *geometry, .detector = sino_gridding_detector(geometry)};
    SinoStatus status = fill(made);
    if (status)
        sino_gridding_free(made);
    else
        *gridding = made;
    return status;
}

void sino_gridding_free(SinoGridding *gridding)
{
    if (!gridding) return;
    if (gridding->row) fftwf_destroy_plan(gridding->row);
    sino_polar_grid_free(gridding->grid);
    free(gridding);
}

/* ---- Aᵀ ---- */

/* Slices first.number … first.number + count − 1 of a panel. */
typedef struct Group {
    SinoTileSlice first;
    int64_t count;
} Group;

/* The factors of an angle's frequencies: the footprint of a voxel, and the phase of the axis. Of an even grid, voxels
 * lie half a voxel beside the pixels of the grid of frequencies. */
static void find_factors(const SinoGridding *gridding, double cosine, double sine, Complex *factor)
{
    const SinoGeometry *scan = &gridding->geometry;
    const double step = 2 * M_PI / (double)gridding->detector;
    const double beside = scan->grid_size % 2 == 0 ? 0.5 : 0;
    const double across = step * cosine / 2, down = step * sine / 2;
    SinoTurn x = sino_turn_begin(across), y = sino_turn_begin(down);
    SinoTurn phase = sino_turn_begin(step * (scan->center + beside * (cosine - sine)));
    for (int64_t m = 0; m < gridding->detector / 2; m++) {
        const double weight = (m == 0 ? 1 : 2) / (double)gridding->detector;
        const double footprint = weight * sino_turn_sinc(&x, m, across) * sino_turn_sinc(&y, m, down);
        factor[m] = (Complex){(float)(footprint * phase.real), (float)(footprint * phase.imaginary)};
        sino_turn_next(&x);
        sino_turn_next(&y);
        sino_turn_next(&phase);
    }
}

SINO_VECTORISED static void multiply(int64_t count, const Complex *factor, Complex *value)
{
    for (int64_t m = 0; m < count; m++) {
        const float real = value[m].real, imaginary = value[m].imaginary;
        value[m].real = factor[m].real * real - factor[m].imaginary * imaginary;
        value[m].imaginary = factor[m].real * imaginary + factor[m].imaginary * real;
    }
}

/* Adds the projection of one slice, whose elements are `step` apart from `from` on, to the sums of its grid. */
static void add_projection(const SinoGridding *gridding, const float *from, int64_t step, const Scratch *at, void *sums)
{
    const int64_t columns = gridding->geometry.column_count, detector = gridding->detector;
    for (int64_t c = 0; c < columns; c++) at->row[c] = from[c * step];
    memset(at->row + columns, 0, (size_t)(detector - columns) * sizeof *at->row);
    fftwf_execute_dft_r2c(gridding->row, at->row, (void *)at->row);
    multiply(detector / 2, at->factor, (Complex *)(void *)at->row);
    sino_polar_grid_add(gridding->grid, at->places, detector / 2, at->row, sums);
}

static void add_projections(const SinoGridding *gridding, const Group *group, const float *b, const Scratch *at)
{
    const SinoGeometry *scan = &gridding->geometry;
    const int64_t columns = scan->column_count, step = group->first.panel.slices.stride;
    const float *panel = sino_panel_from(group->first.panel, sino_geometry_ray_count(scan), b);
    const double turn = 2 * M_PI / (double)gridding->detector;
    for (int64_t t = 0; t < group->count; t++) sino_polar_grid_clear(gridding->grid, at->sums + t * at->grid_bytes);
    for (int64_t k = 0; k < scan->angle_count; k++) {
        const double cosine = cos(scan->angle_rad[k]), sine = sin(scan->angle_rad[k]);
        const float *from = panel + k * columns * step + group->first.number;
        find_factors(gridding, cosine, sine, at->factor);
        sino_polar_grid_place(gridding->grid, -turn * sine, turn * cosine, gridding->detector / 2, at->places);
        for (int64_t t = 0; t < group->count; t++)
            add_projection(gridding, from + t, step, at, at->sums + t * at->grid_bytes);
    }
}

/* The rows of all slices of a group before the next rows: their voxels share cache lines. */
static void finish_slices(const SinoGridding *gridding, const Group *group, const Scratch *at, float *const *x)
{
    const int64_t size = group->first.size, stride = sino_polar_grid_stride(gridding->grid);
    for (int64_t t = 0; t < group->count; t++) sino_polar_grid_transform(gridding->grid, at->sums + t * at->grid_bytes);
    for (int64_t down = 0; down < sino_tile_side(size); down++) {
        const SinoTileRange within = sino_tile_range(size, down);
        const int64_t first_row = sino_tile_first_voxel(size, down) + within.first;
        if (within.count == 0) continue;
        for (int64_t t = 0; t < group->count; t++) {
            SinoTileSlice slice = group->first;
            slice.number += t;
            const float *row = sino_polar_grid_finish(gridding->grid, at->sums + t * at->grid_bytes, first_row,
                                                      within.count, at->rows);
            sino_tile_rows_scatter(&slice, down, within, stride, row, x);
        }
    }
}

void sino_gridding_adjoint(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, const float *b,
                           void *scratch, float *const *x)
{
    const int64_t size = gridding->geometry.grid_size, together = group_slices(size);
    Scratch at;
    (void)divide(&gridding->geometry, scratch, &at);
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        const int64_t count = panel.slices.slice_count;
        for (int64_t f = 0; f < count; f += together) {
            const Group group = {{map, size, panel, f}, sino_smaller(together, count - f)};
            add_projections(gridding, &group, b, &at);
            finish_slices(gridding, &group, &at, x);
        }
        for (int64_t f = count; f < panel.slices.stride; f++)
            sino_tile_rows_clear(&(SinoTileSlice){map, size, panel, f}, x);
    }
}
