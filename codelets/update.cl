/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs (codelets/update.h).
 *
 * Kernels that sum have a work item per slice, which adds row after row, so that a slice's sums are the same whatever it
 * is batched with. */

/* SinoSliceState of codelets/update.h. */
typedef struct State {
    double residual0, norm, along, overlap, norm0, gamma, step, beta;
    long stopped;
} State;

typedef struct History {
    long columns, iteration;
    double tolerance;
} History;

static void record(int f, double sum, __global State *state, History history, __global double *residual)
{
    residual[f * history.columns + history.iteration] = state[f].stopped ? nan((ulong)0) : sum;
    if (sum <= history.tolerance * history.tolerance * state[f].residual0) state[f].stopped = 1;
}

__kernel void update_start(Slices slices, long rows, History history, __global const REAL *r, __global State *state,
                           __global double *residual)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double sum = 0;
    for (long i = 0; i < rows; i++) {
        const double value = r[in_column(column, i)];
        sum += value * value;
    }
    const State started = {.residual0 = sum};
    state[f] = started;
    record(f, sum, state, history, residual);
    for (long i = history.iteration + 1; i < history.columns; i++) residual[f * history.columns + i] = nan((ulong)0);
}

__kernel void update_residual_cg(Slices slices, long rows, History history, __global const REAL *q, __global REAL *r,
                                 __global State *state, __global double *residual)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double qq = 0, rq = 0, sum = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        qq += (double)q[at] * (double)q[at];
        rq += (double)q[at] * (double)r[at];
    }
    if (!(qq > 0)) state[f].stopped = 1;
    state[f].step = state[f].stopped ? 0 : rq / qq;
    const REAL step = (REAL)state[f].step;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        const REAL value = r[at] - step * q[at];
        r[at] = value;
        sum += (double)value * (double)value;
    }
    record(f, sum, state, history, residual);
}

__kernel void update_residual_sirt(Slices slices, long rows, History history, int first, __global const REAL *b,
                                   __global const REAL *row_weight, __global REAL *w, __global State *state,
                                   __global double *residual)
{
    const int f = get_global_id(0);
    if (f >= slices.stride || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double sum = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        const REAL rest = first ? b[at] : b[at] - w[at];
        sum += (double)rest * (double)rest;
        w[at] = row_weight[i] * rest;
    }
    if (!first && f < slices.slice_count) record(f, sum, state, history, residual);
}

/* How many slices go on. One work item. */
__kernel void update_active(Slices slices, __global const State *state, __global long *active)
{
    if (get_global_id(0) > 0 || get_global_id(1) > 0) return;
    long count = 0;
    for (int f = 0; f < slices.slice_count; f++) count += !state[f].stopped;
    *active = count;
}

/* What is taken out of g, and how much of the last direction stays. */
static void choose_direction(__global State *slice, int first)
{
    if (first) slice->norm0 = slice->norm;
    slice->overlap = slice->norm0 > 0 ? slice->along / slice->norm0 : 0;
    const double rest = fmax(slice->norm - slice->overlap * slice->along, 0);
    slice->beta = slice->gamma > 0 ? rest / slice->gamma : 0;
    slice->gamma = rest;
}

__kernel void update_norm(Slices slices, long rows, int first, int last, __global const REAL *g,
                          __global const REAL *g0, __global State *state)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    double norm = 0, along = 0;
    for (long i = 0; i < rows; i++) {
        const size_t at = in_column(column, i);
        norm += (double)g[at] * (double)g[at];
        if (g0) along += (double)g[at] * (double)g0[at];
    }
    state[f].norm = (first ? 0 : state[f].norm) + norm;
    state[f].along = (first ? 0 : state[f].along) + along;
    if (last) choose_direction(&state[f], !g0);
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
