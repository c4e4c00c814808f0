/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs (codelets/update.h).
 *
 * Kernels that sum have a work item per slice, which adds row after row, so that a slice's sums are the same whatever it
 * is batched with. */

/* SinoSliceSums and SinoSliceState of codelets/update.h. */
typedef struct Sums {
    double square, along;
} Sums;

typedef struct State {
    double residual0, overlap, norm0, gamma, step, beta;
    long stopped;
} State;

typedef struct History {
    long columns, iteration;
    double tolerance;
} History;

static void add_sums(__global Sums *sums, double square, double along, int first)
{
    sums->square = (first ? 0 : sums->square) + square;
    sums->along = (first ? 0 : sums->along) + along;
}

__kernel void update_sums(Slices slices, long rows, int first, __global const REAL *v, __global const REAL *w,
                          __global Sums *sums)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double square = 0, along = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        square += (double)v[at] * (double)v[at];
        if (w) along += (double)v[at] * (double)w[at];
    }
    add_sums(&sums[f], square, along, first);
}

__kernel void update_collect(Slices slices, int first, __global const Sums *part, __global Sums *total)
{
    const int f = get_global_id(0);
    if (f < slices.slice_count && get_global_id(1) == 0) add_sums(&total[f], part[f].square, part[f].along, first);
}

static void record(int f, double square, __global State *state, History history, __global double *residual)
{
    residual[f * history.columns + history.iteration] = state[f].stopped ? NAN : square;
    if (square <= history.tolerance * history.tolerance * state[f].residual0) state[f].stopped = 1;
}

__kernel void update_start(Slices slices, History history, __global const Sums *sums, __global State *state,
                           __global double *residual)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const State started = {.residual0 = sums[f].square};
    state[f] = started;
    record(f, sums[f].square, state, history, residual);
    for (long i = history.iteration + 1; i < history.columns; i++) residual[f * history.columns + i] = NAN;
}

__kernel void update_step(Slices slices, __global const Sums *sums, __global State *state)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    if (!(sums[f].square > 0)) state[f].stopped = 1;
    state[f].step = state[f].stopped ? 0 : sums[f].along / sums[f].square;
}

__kernel void update_residual_cg(Slices slices, long rows, __global const REAL *q, __global const State *state,
                                 __global REAL *r, __global Sums *sums)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    const REAL step = (REAL)state[f].step;
    double square = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        const REAL value = r[at] - step * q[at];
        r[at] = value;
        square += (double)value * (double)value;
    }
    add_sums(&sums[f], square, 0, 1);
}

__kernel void update_residual_sirt(Slices slices, long rows, int first, __global const REAL *b,
                                   __global const REAL *row_weight, __global REAL *w, __global Sums *sums)
{
    const int f = get_global_id(0);
    if (f >= slices.stride || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double square = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        const REAL rest = first ? b[at] : b[at] - w[at];
        square += (double)rest * (double)rest;
        w[at] = row_weight[i] * rest;
    }
    if (f < slices.slice_count) add_sums(&sums[f], square, 0, 1);
}

/* One work item: it counts the slices that go on. */
__kernel void update_record(Slices slices, History history, __global const Sums *sums, __global State *state,
                            __global double *residual, __global long *active)
{
    if (get_global_id(0) > 0 || get_global_id(1) > 0) return;
    long count = 0;
    for (int f = 0; f < slices.slice_count; f++) {
        record(f, sums[f].square, state, history, residual);
        count += !state[f].stopped;
    }
    *active = count;
}

/* What is taken out of g, and how much of the last direction stays. */
__kernel void update_direction(Slices slices, int first, __global const Sums *sums, __global State *state)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    __global State *slice = &state[f];
    if (first) slice->norm0 = sums[f].square;
    slice->overlap = slice->norm0 > 0 ? sums[f].along / slice->norm0 : 0;
    const double rest = fmax(sums[f].square - slice->overlap * sums[f].along, 0);
    slice->beta = slice->gamma > 0 ? rest / slice->gamma : 0;
    slice->gamma = rest;
}

__kernel void update_voxels_cg(Slices slices, long rows, int first, __global const REAL *g, __global const State *state,
                               __global REAL *g0, __global REAL *d, __global REAL *x)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const size_t at = element(slices, rows, i, f);
    if (first) {
        x[at] = 0;
        d[at] = g0[at] = g[at];
        return;
    }
    const int real = f < slices.slice_count; /* not padding */
    const REAL step = real ? (REAL)state[f].step : 0, beta = real ? (REAL)state[f].beta : 0;
    const REAL overlap = real ? (REAL)state[f].overlap : 0;
    x[at] += step * d[at];
    d[at] = g[at] - overlap * g0[at] + beta * d[at];
}

__kernel void update_voxels_sirt(Slices slices, long rows, double relaxation, int nonnegativity, int first,
                                 __global const REAL *g, __global const REAL *column_weight,
                                 __global const State *state, __global REAL *x)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const size_t at = element(slices, rows, i, f);
    const REAL step = f < slices.slice_count && !state[f].stopped ? (REAL)relaxation : 0;
    const REAL value = (first ? 0 : x[at]) + step * column_weight[i] * g[at];
    x[at] = nonnegativity && value < 0 ? 0 : value;
}

__kernel void update_reciprocal(long rows, __global REAL *value)
{
    const long i = get_global_id(1);
    if (get_global_id(0) > 0 || i >= rows) return;
    value[i] = value[i] > (REAL)1e-6 ? 1 / value[i] : 0;
}

__kernel void update_fill_one(long rows, __global REAL *value)
{
    const long i = get_global_id(1);
    if (get_global_id(0) == 0 && i < rows) value[i] = 1;
}
