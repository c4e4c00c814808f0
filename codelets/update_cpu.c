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

/* The rows of the panel's slices. */
static SinoHistory history_of(const SinoHistory *history, SinoPanel panel)
{
    SinoHistory part = *history;
    part.residual += panel.first * history->columns;
    return part;
}

/* Residuals of this iteration into the history; then who stops. */
static void record(SinoSlices slices, const double *residual, SinoSliceState *state, const SinoHistory *history)
{
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_record(&state[f], residual[f], history, f);
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

static void start_panel(SinoSlices slices, int64_t ray_count, const void *r, SinoSliceState *state,
                        const SinoHistory *history)
{
    double residual[SINO_PANEL_MAX] = {0};
    CALL(slices.precision, dot, ray_count, slices.stride, r, r, residual);
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_start(&state[f], residual[f], history, f);
}

void sino_update_start(SinoSlices slices, int64_t ray_count, const void *r, SinoSliceState *state,
                       const SinoHistory *history)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const SinoHistory part = history_of(history, at);
        start_panel(at.slices, ray_count, sino_panel_from(at, ray_count, r), state + at.first, &part);
    }
}

void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, void *r, SinoSliceState *state,
                             const SinoHistory *history)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const SinoHistory part = history_of(history, at);
        CALL(slices.precision, residual_cg, at.slices, ray_count, sino_panel_from(at, ray_count, q),
             sino_panel_to(at, ray_count, r), state + at.first, &part);
    }
}

static void norm_panel(SinoSlices slices, int64_t voxel_count, const void *g, const void *g0, SinoSliceState *state,
                       bool first, bool last)
{
    double norm[SINO_PANEL_MAX] = {0}, along[SINO_PANEL_MAX] = {0};
    if (g0)
        CALL(slices.precision, dot_pair, voxel_count, slices.stride, g, g0, norm, along);
    else
        CALL(slices.precision, dot, voxel_count, slices.stride, g, g, norm);
    for (int64_t f = 0; f < slices.slice_count; f++)
        sino_slice_norm(&state[f], norm[f], along[f], first, last, g0 == NULL);
}

void sino_update_norm(SinoSlices slices, int64_t voxel_count, const void *g, const void *g0, SinoSliceState *state,
                      bool first, bool last)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at))
        norm_panel(at.slices, voxel_count, sino_panel_from(at, voxel_count, g),
                   g0 ? sino_panel_from(at, voxel_count, g0) : NULL, state + at.first, first, last);
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
                               void *w, SinoSliceState *state, const SinoHistory *history)
{
    for (SinoPanel at = first_panel(slices); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const SinoHistory part = history_of(history, at);
        CALL(slices.precision, residual_sirt, at.slices, ray_count, sino_panel_from(at, ray_count, b), row_weight,
             first, sino_panel_to(at, ray_count, w), state + at.first, &part);
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
