/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, on a CPU core. */
#include "update.h"

#include "vector.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The first panel. What every entry relies on: the per-slice arrays on the stack hold a panel. */
static SinoPanel first_panel(SinoSlices slices)
{
    assert(slices.slice_count <= slices.stride && slices.stride <= SINO_SLICES_MAX);
    assert(sino_panel_width(slices.precision) <= SINO_PANEL_MAX);
    return sino_panel_at(slices, 0);
}

#define REAL    float
#define NAME(x) x##_single
#include "update_tmpl.c"
#undef REAL
#undef NAME

#define REAL    double
#define NAME(x) x##_double
#include "update_tmpl.c"

/* Calls the function of the precision. */
#define CALL(precision, function, ...)                                                                                 \
    do {                                                                                                               \
        if ((precision) == SINO_DOUBLE)                                                                                \
            function##_double(__VA_ARGS__);                                                                            \
        else                                                                                                           \
            function##_single(__VA_ARGS__);                                                                            \
    } while (0)

static void set_sums(SinoPanel panel, const double *square, const double *along, bool first, SinoSliceSums *sums)
{
    for (int64_t f = 0; f < panel.slices.slice_count; f++) {
        SinoSliceSums *slice = &sums[panel.first + f];
        slice->square = (first ? 0 : slice->square) + square[f];
        slice->along = (first ? 0 : slice->along) + (along ? along[f] : 0);
    }
}

void sino_update_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, bool first, SinoSliceSums *sums)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        double square[SINO_PANEL_MAX] = {0}, along[SINO_PANEL_MAX] = {0};
        if (w)
            CALL(slices.precision, square_along, rows, at.slices.stride, sino_panel_from(at, rows, v),
                 sino_panel_from(at, rows, w), square, along);
        else
            CALL(slices.precision, square, rows, at.slices.stride, sino_panel_from(at, rows, v), square);
        set_sums(at, square, along, first, sums);
    }
}

void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        total[f].square = (first ? 0 : total[f].square) + part[f].square;
        total[f].along = (first ? 0 : total[f].along) + part[f].along;
    }
}

void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history)
{
    for (int64_t f = 0; f < slices.slice_count; f++) state[f] = (SinoSliceState){.residual0 = sums[f].square};
    sino_update_record(slices, sums, state, history);
    /* What no task will write when every slice stops early. */
    for (int64_t f = 0; f < slices.slice_count; f++)
        for (int64_t i = history->iteration + 1; i < history->columns; i++)
            history->residual[f * history->columns + i] = NAN;
}

/* A slice that cannot move any more stops. */
void sino_update_step(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        if (!(sums[f].square > 0)) state[f].stopped = 1;
        state[f].step = state[f].stopped ? 0 : sums[f].along / sums[f].square;
    }
}

void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, const SinoSliceState *state, void *r,
                             SinoSliceSums *sums)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        double residual[SINO_PANEL_MAX] = {0};
        CALL(slices.precision, residual_cg, at.slices, ray_count, sino_panel_from(at, ray_count, q), state + at.first,
             sino_panel_to(at, ray_count, r), residual);
        set_sums(at, residual, NULL, true, sums);
    }
}

/* NaN for slices that had stopped before; then who stops now. */
int64_t sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state,
                           const SinoHistory *history)
{
    const double limit = history->tolerance * history->tolerance;
    int64_t active = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double residual = sums[f].square;
        history->residual[f * history->columns + history->iteration] = state[f].stopped ? NAN : residual;
        if (residual <= limit * state[f].residual0) state[f].stopped = 1;
        active += !state[f].stopped;
    }
    return active;
}

void sino_update_direction(SinoSlices slices, const SinoSliceSums *sums, bool first, SinoSliceState *state)
{
    for (int64_t f = 0; f < slices.slice_count; f++) {
        SinoSliceState *slice = &state[f];
        if (first) slice->norm0 = sums[f].square;
        slice->overlap = slice->norm0 > 0 ? sums[f].along / slice->norm0 : 0;
        const double rest = fmax(sums[f].square - slice->overlap * sums[f].along, 0);
        slice->beta = slice->gamma > 0 ? rest / slice->gamma : 0;
        slice->gamma = rest;
    }
}

void sino_update_voxels_cg(SinoSlices slices, int64_t voxel_count, const void *g, const SinoSliceState *state,
                           bool first, void *g0, void *d, void *x)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at))
        CALL(slices.precision, voxels_cg, at.slices, voxel_count, sino_panel_from(at, voxel_count, g), state + at.first,
             first, sino_panel_to(at, voxel_count, g0), sino_panel_to(at, voxel_count, d),
             sino_panel_to(at, voxel_count, x));
}

void sino_update_residual_sirt(SinoSlices slices, int64_t ray_count, const void *b, const void *row_weight, bool first,
                               void *w, SinoSliceSums *sums)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        double residual[SINO_PANEL_MAX] = {0};
        CALL(slices.precision, weigh, ray_count, at.slices.stride, sino_panel_from(at, ray_count, b), row_weight, first,
             sino_panel_to(at, ray_count, w), residual);
        set_sums(at, residual, NULL, true, sums);
    }
}

void sino_update_voxels_sirt(SinoSlices slices, int64_t voxel_count, const void *g, const void *column_weight,
                             const SinoSliceState *state, double relaxation, bool nonnegativity, bool first, void *x)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at))
        CALL(slices.precision, voxels_sirt, at.slices, voxel_count, sino_panel_from(at, voxel_count, g), column_weight,
             state + at.first, relaxation, nonnegativity, first, sino_panel_to(at, voxel_count, x));
}

void sino_update_reciprocal(SinoPrecision precision, int64_t count, void *value)
{
    CALL(precision, reciprocal, count, value);
}

void sino_update_fill_one(SinoPrecision precision, int64_t count, void *value)
{
    CALL(precision, fill_one, count, value);
}
