/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, slice by slice: what becomes of a slice's state once its sums are there, on a CPU or a GPU. */
#ifndef SINO_UPDATE_SLICE_H
#define SINO_UPDATE_SLICE_H

#include "update.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* Where a slice's residual of the history's iteration belongs. */
SINO_INLINE double *sino_slice_residual(const SinoHistory *history, int64_t slice)
{
    return history->residual + slice * history->columns + history->iteration;
}

/* The residual of this iteration into the history, NaN for a slice that had stopped before; then whether it stops. */
SINO_INLINE void sino_slice_record(SinoSliceState *state, double residual, const SinoHistory *history, int64_t slice)
{
    *sino_slice_residual(history, slice) = state->stopped ? (double)NAN : residual;
    if (residual <= history->tolerance * history->tolerance * state->residual0) state->stopped = 1;
}

/* A new state; what no task will write when every slice stops early is NaN. */
SINO_INLINE void sino_slice_start(SinoSliceState *state, double residual, const SinoHistory *history, int64_t slice)
{
    memset(state, 0, sizeof *state);
    state->residual0 = residual;
    sino_slice_record(state, residual, history, slice);
    for (int64_t i = 1; i < history->columns - history->iteration; i++)
        sino_slice_residual(history, slice)[i] = (double)NAN;
}

/* The step length from q·q and r·q; a slice that cannot move any more stops. */
SINO_INLINE void sino_slice_step(SinoSliceState *state, double qq, double rq)
{
    if (!(qq > 0)) state->stopped = 1;
    state->step = state->stopped ? 0 : rq / qq;
}

/* The sums of one more partition; after the last, what is taken out of g, and how much of the last direction stays. */
SINO_INLINE void sino_slice_norm(SinoSliceState *state, double norm, double along, bool first, bool last, bool is_g0)
{
    state->norm = (first ? 0 : state->norm) + norm;
    state->along = (first ? 0 : state->along) + along;
    if (!last) return;
    if (is_g0) state->norm0 = state->norm;
    state->overlap = state->norm0 > 0 ? state->along / state->norm0 : 0;
    const double rest = fmax(state->norm - state->overlap * state->along, 0.0);
    state->beta = state->gamma > 0 ? rest / state->gamma : 0;
    state->gamma = rest;
}

#endif
