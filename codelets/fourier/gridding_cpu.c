/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding: Aᵀ on a CPU core.
 *
 * Slices are computed one by one, or SINO_POLAR_LANES together as lanes of the grid, for which the places of a ray's
 * terms, their weights, and the factors of the frequencies are computed once. Of each slice, a projection is
 * transformed, multiplied by the factors, and spread. */
#include "gridding.h"

#include "fast_size.h"
#include "memory.h"
#include "polar_grid.h"
#include "turn.h"
#include "vector.h"

#include <assert.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 16, /* floats of a cache line */
    LANES = SINO_POLAR_LANES,
    GRIDS_BYTES = 280 << 20, /* of a group's grids, unless one slice needs more */
    PAIR = 2,                /* projections that are transformed together, as real and imaginary part */
    VECTOR = SINO_TURNS
};

typedef struct Complex {
    float real, imaginary;
} Complex;

struct SinoGridding {
    SinoGeometry geometry;
    int64_t detector; /* D */
    SinoPolarGrid *grid;
    fftwf_plan plan; /* of a pair of projections */
};

int64_t sino_gridding_detector(const SinoGeometry *geometry)
{
    return sino_fast_size(2 * sino_larger(sino_larger(geometry->grid_size, geometry->column_count), SINO_TILE));
}

/* Lanes of the grid: slices that are computed together, at most. */
static int64_t group_slices(int64_t grid_size)
{
    return LANES * sino_polar_grid_sum_bytes(grid_size, SINO_SINGLE) <= GRIDS_BYTES ? LANES : 1;
}

double sino_gridding_flops(const SinoGeometry *geometry)
{
    const double detector = (double)sino_gridding_detector(geometry), rays = (double)geometry->angle_count;
    return sino_polar_grid_flops(geometry->grid_size, rays * detector / 2) + 2.5 * rays * detector * log2(detector);
}

/* ---- scratch memory ---- */

/* Sums of a group's grid, finished rows, a pair of projections and its transform; of each projection of the pair the
 * factors of its frequencies, and the terms of all lanes. */
typedef struct Scratch {
    void *sums, *rows;
    Complex *pair, *spectrum; /* [D] */
    Complex *factor[PAIR];    /* [D/2] */
    Complex *terms[PAIR];     /* [D/2][lane] */
} Scratch;

/* Bytes of D complex numbers, and up to VECTOR more. */
static int64_t spectrum_bytes(int64_t detector)
{
    return sino_ceil_multiple(detector + VECTOR, LINE) * (int64_t)sizeof(Complex);
}

/* The parts of scratch memory; returns their bytes. */
static int64_t divide(const SinoGeometry *geometry, char *memory, Scratch *scratch)
{
    const int64_t size = geometry->grid_size, piece = spectrum_bytes(sino_gridding_detector(geometry));
    const int64_t rows = sino_times(group_slices(size), sino_gridding_sum_bytes(size));
    const int64_t pair = rows + sino_ceil_multiple(sino_polar_grid_row_bytes(size, SINO_SINGLE), 64);
    const int64_t factor = pair + 2 * piece, terms = factor + piece;
    if (scratch)
        *scratch = (Scratch){
            .sums = memory,
            .rows = memory + rows,
            .pair = (Complex *)(void *)(memory + pair),
            .spectrum = (Complex *)(void *)(memory + pair + piece),
            .factor = {(Complex *)(void *)(memory + factor), (Complex *)(void *)(memory + factor + piece / 2)},
            .terms = {(Complex *)(void *)(memory + terms), (Complex *)(void *)(memory + terms + LANES * piece / 2)}};
    return terms + LANES * piece;
}

int64_t sino_gridding_sum_bytes(int64_t grid_size)
{
    return sino_ceil_multiple(sino_polar_grid_sum_bytes(grid_size, SINO_SINGLE), 64);
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
    const int64_t bytes = spectrum_bytes(detector);
    char *pair = sino_allocate_large(2 * bytes);
    SINO_CHECK(pair, SINO_FAILED, "no memory for projections of %d columns", detector);
    gridding->plan = fftwf_plan_dft_1d(detector, (void *)pair, (void *)(pair + bytes), FFTW_FORWARD, FFTW_ESTIMATE);
    sino_free_large(pair);
    SINO_CHECK(gridding->plan, SINO_FAILED, "FFTW made no plan for %d points", detector);
    return NULL;
}

SinoStatus sino_gridding_new(const SinoGeometry *geometry, SinoGridding **gridding)
{
    SinoGridding *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoGridding){.geometry = *geometry, .detector = sino_gridding_detector(geometry)};
    SINO_GIVE(fill(made), made, sino_gridding_free, gridding);
}

void sino_gridding_free(SinoGridding *gridding)
{
    if (!gridding) return;
    if (gridding->plan) fftwf_destroy_plan(gridding->plan);
    sino_polar_grid_free(gridding->grid);
    free(gridding);
}

const SinoGeometry *sino_gridding_geometry(const SinoGridding *gridding)
{
    return &gridding->geometry;
}

/* ---- Aᵀ ---- */

/* Slices first.number … first.number + count − 1 of a panel, in as many lanes or more. */
typedef struct Group {
    SinoTileSlice first;
    int64_t count, lanes;
} Group;

/* The factors of an angle's frequencies: the footprint of a voxel, and the phase of the axis. Of an even grid, voxels
 * lie half a voxel beside the pixels of the grid of frequencies. */
SINO_VECTORISED static void find_factors(const SinoGridding *gridding, double cosine, double sine, Complex *factor)
{
    const SinoGeometry *scan = &gridding->geometry;
    const double step = 2 * M_PI / (double)gridding->detector;
    const double beside = scan->grid_size % 2 == 0 ? 0.5 : 0;
    const double across = step * cosine / 2, down = step * sine / 2;
    SinoTurns x, y, phase;
    sino_turns_begin(across, &x);
    sino_turns_begin(down, &y);
    sino_turns_begin(step * (scan->center + beside * (cosine - sine)), &phase);
    const double one = 1 / (double)gridding->detector;
    SinoTurnDoubles weight = {one / 2, one, one, one};
    for (int64_t first = 0; first < gridding->detector / 2; first += VECTOR) {
        SinoTurnDoubles footprint = weight;
        sino_turns_times_sinc(&x, first, across, &footprint);
        sino_turns_times_sinc(&y, first, down, &footprint);
        const SinoTurnDoubles real = footprint * phase.real, imaginary = footprint * phase.imaginary;
        for (int i = 0; i < VECTOR; i++) factor[first + i] = (Complex){(float)real[i], (float)imaginary[i]};
        sino_turns_next(&x);
        sino_turns_next(&y);
        sino_turns_next(&phase);
        weight[0] = one;
    }
}

/* The terms of a pair of projections, terms[projection][m][of `lanes`], out of its transform, in which they are real
 * and imaginary part. Factors have a half for the sums of opposite frequencies. */
SINO_VECTORISED static void separate(int64_t detector, int64_t lanes, const Complex *spectrum,
                                     Complex *const factor[PAIR], Complex *const terms[PAIR])
{
    for (int64_t m = 0; m < detector / 2; m++) {
        const Complex same = spectrum[m], opposite = spectrum[m == 0 ? 0 : detector - m];
        const Complex value[PAIR] = {{same.real + opposite.real, same.imaginary - opposite.imaginary},
                                     {same.imaginary + opposite.imaginary, opposite.real - same.real}};
        for (int p = 0; p < PAIR; p++) {
            const Complex by = factor[p][m];
            terms[p][m * lanes].real = by.real * value[p].real - by.imaginary * value[p].imaginary;
            terms[p][m * lanes].imaginary = by.real * value[p].imaginary + by.imaginary * value[p].real;
        }
    }
}

/* The terms of lane `lane`, whose pair of projections has elements that are `step` apart. */
static void find_terms(const SinoGridding *gridding, const float *const projection[PAIR], int64_t step, int64_t lane,
                       int64_t lanes, const Scratch *at)
{
    const int64_t columns = gridding->geometry.column_count, detector = gridding->detector;
    for (int64_t c = 0; c < columns; c++) at->pair[c] = (Complex){projection[0][c * step], projection[1][c * step]};
    memset(at->pair + columns, 0, (size_t)(detector - columns) * sizeof *at->pair);
    fftwf_execute_dft(gridding->plan, (void *)at->pair, (void *)at->spectrum);
    separate(detector, lanes, at->spectrum, at->factor,
             (Complex *const[PAIR]){at->terms[0] + lane, at->terms[1] + lane});
}

/* Adds angles first … first + count − 1, whose rays b are. */
static void add_projections(const SinoGridding *gridding, const Group *group, int64_t first, int64_t count,
                            const float *b, const Scratch *at)
{
    const SinoGeometry *scan = &gridding->geometry;
    const double *const angle_rad = scan->angle_rad + first;
    const int64_t step = group->first.panel.slices.stride, size = scan->column_count * step;
    const int64_t terms = gridding->detector / 2;
    const float *panel = sino_panel_from(group->first.panel, sino_times(count, scan->column_count), b);
    const double turn = 2 * M_PI / (double)gridding->detector;
    if (first == 0) sino_polar_grid_clear(gridding->grid, group->lanes, at->sums);
    for (int p = 0; p < PAIR; p++) memset(at->terms[p], 0, (size_t)(terms * group->lanes) * sizeof *at->terms[p]);
    for (int64_t k = 0; k < count; k += PAIR) {
        const int64_t angle[PAIR] = {k, sino_smaller(k + 1, count - 1)};
        double cosine[PAIR], sine[PAIR];
        for (int p = 0; p < PAIR; p++) {
            cosine[p] = cos(angle_rad[angle[p]]);
            sine[p] = sin(angle_rad[angle[p]]);
            find_factors(gridding, cosine[p], sine[p], at->factor[p]);
        }
        for (int64_t t = 0; t < group->count; t++) {
            const float *slice = panel + group->first.number + t;
            find_terms(gridding, (const float *const[PAIR]){slice + angle[0] * size, slice + angle[1] * size}, step, t,
                       group->lanes, at);
        }
        for (int p = 0; k + p < count && p < PAIR; p++)
            sino_polar_grid_add(gridding->grid, group->lanes, -turn * sine[p], turn * cosine[p], terms, at->terms[p],
                                at->sums);
    }
}

/* The rows of all slices of a group before the next rows: their voxels share cache lines. */
static void finish_slices(const SinoGridding *gridding, const Group *group, const Scratch *at, float *const *x)
{
    const int64_t size = group->first.size, stride = sino_polar_grid_stride(gridding->grid);
    sino_polar_grid_transform(gridding->grid, group->lanes, at->sums, at->rows);
    for (int64_t down = 0; down < sino_tile_side(size); down++) {
        const SinoTileRange within = sino_tile_range(size, down);
        const int64_t first_row = sino_tile_first_voxel(size, down) + within.first;
        if (within.count == 0) continue;
        for (int64_t t = 0; t < group->count; t++) {
            SinoTileSlice slice = group->first;
            slice.number += t;
            const float *row =
                sino_polar_grid_finish(gridding->grid, group->lanes, t, at->sums, first_row, within.count, at->rows);
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
            const int64_t slices_left = sino_smaller(together, count - f);
            const Group group = {{map, size, panel, f}, slices_left, slices_left > 1 ? together : 1};
            add_projections(gridding, &group, 0, gridding->geometry.angle_count, b, &at);
            finish_slices(gridding, &group, &at, x);
        }
        for (int64_t f = count; f < panel.slices.stride; f++)
            sino_tile_rows_clear(&(SinoTileSlice){map, size, panel, f}, x);
    }
}

/* ---- in parts ---- */

/* The group of a panel from slice f on, whose sums are kept: lanes without a slice must not be in the next group. */
static Group kept_group(const SinoGridding *gridding, const SinoTileMap *map, SinoPanel panel, int64_t f)
{
    const int64_t size = gridding->geometry.grid_size, together = group_slices(size);
    const int64_t lanes = f + together <= panel.slices.stride ? together : 1;
    return (Group){{map, size, panel, f}, sino_smaller(lanes, panel.slices.slice_count - f), lanes};
}

static void *kept_sums(const SinoGridding *gridding, const Group *group, void *sums)
{
    const int64_t slice = group->first.panel.first + group->first.number;
    return (char *)sums + sino_times(slice, sino_gridding_sum_bytes(gridding->geometry.grid_size));
}

void sino_gridding_add(const SinoGridding *gridding, SinoSlices slices, int64_t first_angle, int64_t angle_count,
                       const float *b, void *scratch, void *sums)
{
    Scratch at;
    (void)divide(&gridding->geometry, scratch, &at);
    assert(first_angle % PAIR == 0);
    assert(angle_count % PAIR == 0 || first_angle + angle_count == gridding->geometry.angle_count);
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.slice_count;
         panel = sino_panel_next(slices, panel))
        for (int64_t f = 0; f < panel.slices.slice_count;) {
            const Group group = kept_group(gridding, NULL, panel, f);
            at.sums = kept_sums(gridding, &group, sums);
            add_projections(gridding, &group, first_angle, angle_count, b, &at);
            f += group.count;
        }
}

void sino_gridding_finish(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, void *scratch,
                          void *sums, float *const *x)
{
    Scratch at;
    (void)divide(&gridding->geometry, scratch, &at);
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        for (int64_t f = 0; f < panel.slices.slice_count;) {
            const Group group = kept_group(gridding, map, panel, f);
            at.sums = kept_sums(gridding, &group, sums);
            finish_slices(gridding, &group, &at, x);
            f += group.count;
        }
        for (int64_t f = panel.slices.slice_count; f < panel.slices.stride; f++)
            sino_tile_rows_clear(&(SinoTileSlice){map, gridding->geometry.grid_size, panel, f}, x);
    }
}
