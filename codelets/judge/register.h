/* SPDX-License-Identifier: BSD-3-Clause */
/* Register: how far measured projections lie from predicted ones.
 *
 * One step of Gauss and Newton gives the step s that makes predicted(c − s.column, r − s.row) most like
 * measured(c, r):
 *
 *     s = −(Σ ∇p ∇pᵀ)⁻¹ Σ ∇p (m − p)
 *
 * over the pixels with a value whose neighbours are on the detector; the gradient ∇p is that of the prediction, which
 * has less noise than the measurement.
 *
 * With predictions of views that are pitched and rolled a little (view.h) a step turns, too. Its derivatives and
 * the difference are smoothed, by (1, 4, 6, 4, 1)/16 along columns and rows, so that features as thin as a pixel tell
 * steps of more than a pixel; and it is damped, so that a turn that the projection hardly tells stays. */
#pragma once

#include "view.h"

#include <stdint.h>

/* One measured projection beside its prediction. */
typedef struct SinoRegistered {
    SinoShift step;           /* pixels; 0 if the prediction has no edges */
    SinoViewTurn turn;        /* 0 without turned predictions */
    double squares, measured; /* sums of (m − p)² and m², smoothed with turned predictions */
} SinoRegistered;

/* measured, predicted[column_count][row_count]; a measured −0 has no value (correct.h). */
SinoRegistered sino_register(int64_t column_count, int64_t row_count, const float *measured, const float *predicted);

/* Predictions of a view and of the same view pitched and rolled by angle_rad, which moves the edge of the detector by a
 * pixel or so. [column_count][row_count] */
typedef struct SinoTurnedPredictions {
    const float *still, *pitched, *rolled;
    double angle_rad;
} SinoTurnedPredictions;

SinoRegistered sino_register_turned(int64_t column_count, int64_t row_count, const float *measured,
                                    const SinoTurnedPredictions *predicted);

/* The centroid of a projection; the middle of the detector if its sum is not above 0. */
typedef struct SinoCentroid {
    SinoShift place; /* column and row, from 0 at the middle of the first pixel */
    double sum;
} SinoCentroid;

SinoCentroid sino_register_centroid(int64_t column_count, int64_t row_count, const float *measured);
