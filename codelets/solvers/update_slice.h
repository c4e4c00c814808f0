/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, slice by slice: the state of one slice in a solver, and how sums and residuals change it.
 *
 * This header and update_formulas.h use the common subset of C, CUDA C++ and OpenCL C, so that CPU cores, GPUs and
 * OpenCL devices compile the same formulas. For OpenCL their text is put before update.cl. */
#pragma once

#ifdef __OPENCL_C_VERSION__
typedef long int64_t;
#define SINO_INLINE    static
#define sino_logarithm log
#else
#include "logarithm.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#endif

enum { SINO_SLICE_SUMS = 2, SINO_SLICE_SCALARS = 6 };

/* Sums of one slice over some rows of vectors; the formula that computes a sum defines its meaning. */
typedef struct SinoSliceSums {
    double sum[SINO_SLICE_SUMS];
} SinoSliceSums;

/* State of one slice in a solver. */
typedef struct SinoSliceState {
    double residual0;                  /* ‖b‖² */
    double scalar[SINO_SLICE_SCALARS]; /* the solver's own scalars, named in update_formulas.h; 0 at the start */
    double likelihood;                 /* log-likelihood of the last recorded iteration; −∞ at the start */
    int64_t stopped;                   /* 1 once a tolerance is met, or when no further gain is possible */
} SinoSliceState;

/* Adds the sums of one more part of a vector; the `first` part starts the sums. */
SINO_INLINE SinoSliceSums sino_slice_add(SinoSliceSums sums, SinoSliceSums part, bool first)
{
    for (int s = 0; s < SINO_SLICE_SUMS; s++) sums.sum[s] = (first ? 0 : sums.sum[s]) + part.sum[s];
    return sums;
}

/* Stops the slice if its residual ‖Ax − b‖² meets the tolerance. Returns the value for its history: the residual, or
 * NaN if the slice had stopped before. */
SINO_INLINE double sino_slice_record(SinoSliceState *state, double residual, double tolerance)
{
    const double recorded = state->stopped ? (double)NAN : residual;
    if (residual <= tolerance * tolerance * state->residual0) state->stopped = 1;
    return recorded;
}

/* The log-likelihood of `counts` where `expected` are expected, without the terms of the counts alone; 0 where nothing
 * is expected, or less than the least normal number. Without branches, so that compilers vectorise it. */
SINO_INLINE double sino_log_likelihood(double counts, double expected)
{
    const double usable = expected < 0x1p-1022 ? 0 : 1, of = usable * expected + (1 - usable);
    return usable * (counts * sino_logarithm(of) - of);
}

/* Stops the slice if its log-likelihood gains at most `tolerance` times its size; tolerance 0: never. Returns the value
 * for its history, NaN if the slice had stopped before this iteration (`was_stopped`). */
SINO_INLINE double sino_slice_record_likelihood(SinoSliceState *state, double likelihood, double tolerance,
                                                bool was_stopped)
{
    const double gain = likelihood - state->likelihood;
    if (was_stopped) return (double)NAN;
    if (tolerance > 0 && gain <= tolerance * fabs(likelihood)) state->stopped = 1;
    state->likelihood = likelihood;
    return likelihood;
}

/* The state at x = 0, where the residual is ‖b‖². A slice of zeros stops at once. */
SINO_INLINE SinoSliceState sino_slice_start(double residual, double tolerance)
{
    SinoSliceState state;
    state.residual0 = residual;
    state.likelihood = -(double)INFINITY;
    state.stopped = 0;
    for (int i = 0; i < SINO_SLICE_SCALARS; i++) state.scalar[i] = 0;
    (void)sino_slice_record(&state, residual, tolerance);
    return state;
}
