/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, slice by slice: what becomes of a slice's state once its sums are there, on a CPU or a GPU. */
#ifndef SINO_UPDATE_SLICE_H
#define SINO_UPDATE_SLICE_H

#include "update.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* The sums of one more part of a vector. */
SINO_INLINE void sino_slice_add(SinoSliceSums *sums, double square, double along, bool first)
{
    sums->square = (first ? 0 : sums->square) + square;
    sums->along = (first ? 0 : sums->along) + along;
}

/* Where a slice's residual of the history's iteration belongs. */
SINO_INLINE double *sino_slice_residual(const SinoHistory *history, int64_t slice)
{
    return history->residual + slice * history->columns + history->iteration;
}

/* The residual of this iteration into the history, NaN for a slice that had stopped before; then whether it stops. */
SINO_INLINE void sino_slice_record(SinoSliceState *state, const SinoSliceSums *sums, const SinoHistory *history,
                                   int64_t slice)
{
    *sino_slice_residual(history, slice) = state->stopped ? (double)NAN : sums->square;
    if (sums->square <= history->tolerance * history->tolerance * state->residual0) state->stopped = 1;
}

/* A new state; what no task will write when every slice stops early is NaN. */
SINO_INLINE void sino_slice_start(SinoSliceState *state, const SinoSliceSums *sums, const SinoHistory *history,
                                  int64_t slice)
{
    memset(state, 0, sizeof *state);
    state->residual0 = sums->square;
    sino_slice_record(state, sums, history, slice);
    for (int64_t i = 1; i < history->columns - history->iteration; i++)
        sino_slice_residual(history, slice)[i] = (double)NAN;
}

/* The step length from the sums of q along r; a slice that cannot move any more stops. */
SINO_INLINE void sino_slice_step(SinoSliceState *state, const SinoSliceSums *sums)
{
    if (!(sums->square > 0)) state->stopped = 1;
    state->step = state->stopped ? 0 : sums->along / sums->square;
}

/* What is taken out of g, and how much of the last direction stays. */
SINO_INLINE void sino_slice_direction(SinoSliceState *state, const SinoSliceSums *sums, bool first)
{
    if (first) state->norm0 = sums->square;
    state->overlap = state->norm0 > 0 ? sums->along / state->norm0 : 0;
    const double rest = fmax(sums->square - state->overlap * sums->along, 0.0);
    state->beta = state->gamma > 0 ? rest / state->gamma : 0;
    state->gamma = rest;
}

#endif
