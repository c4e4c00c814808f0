/* SPDX-License-Identifier: BSD-3-Clause */
/* Register: how far measured projections lie from predicted ones.
 *
 * One step of Gauss and Newton gives the step s that makes predicted(c − s.column, r − s.row) most like
 * measured(c, r):
 *
 *     s = −(Σ ∇p ∇pᵀ)⁻¹ Σ ∇p (m − p)
 *
 * over the pixels with a value whose neighbours are on the detector; the gradient ∇p is that of the prediction, which
 * has less noise than the measurement. */
#pragma once

#include "shift.h"

#include <stdint.h>

/* One measured projection beside its prediction. */
typedef struct SinoRegistered {
    SinoShift step;           /* pixels; 0 if the prediction has no edges */
    double squares, measured; /* sums of (m − p)² and m² */
} SinoRegistered;

/* measured, predicted[column_count][row_count]; a measured −0 has no value (correct.h). */
SinoRegistered sino_register(int64_t column_count, int64_t row_count, const float *measured, const float *predicted);

/* The centroid of a projection; the middle of the detector if its sum is not above 0. */
typedef struct SinoCentroid {
    SinoShift place; /* column and row, from 0 at the middle of the first pixel */
    double sum;
} SinoCentroid;

SinoCentroid sino_register_centroid(int64_t column_count, int64_t row_count, const float *measured);
