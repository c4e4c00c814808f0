/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, on a CPU core. */
#include "update.h"

#include "update_slice.h"
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
    for (int64_t f = 0; f < panel.slices.slice_count; f++)
        sino_slice_add(&sums[panel.first + f], square[f], along ? along[f] : 0, first);
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
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_add(&total[f], part[f].square, part[f].along, first);
}

void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history)
{
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_start(&state[f], &sums[f], history, f);
}

void sino_update_step(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state)
{
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_step(&state[f], &sums[f]);
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

void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active)
{
    *active = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        sino_slice_record(&state[f], &sums[f], history, f);
        *active += !state[f].stopped;
    }
}

void sino_update_direction(SinoSlices slices, const SinoSliceSums *sums, bool first, SinoSliceState *state)
{
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_direction(&state[f], &sums[f], first);
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
