/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves of the normal operator: what the search for a strength needs where a solver has AᵀA instead of A. A slice that
 * lacks projections is solved with the normal operator of the others; another kind of operator predicts the projections
 * that it lacks. */
#pragma once

#include "halves_binned.h"
#include "halves_search.h"

/* The projector of the predictions: the first that projects and stores nothing. */
SinoProjector sino_halves_normal_predictor(void);

/* Opens all operators; collective over all ranks. An idle rank gets operators without work. Errors: those of
 * sino_operator_new. *normal: the caller frees it. */
SinoStatus sino_halves_normal_new(SinoRuntime *runtime, const SinoProblem *problem, bool idle,
                                  SinoHalvesNormal **normal);
void sino_halves_normal_free(SinoHalvesNormal *normal); /* takes NULL */

/* Reconstructs slices with `count` steps of the strength from the lowest on, one minibatch for each step and half, and
 * calls `use` with the first row of each projection that a slice lacks: slice 2i + half has step lowest + i. */
typedef void SinoUsePrediction(SinoHalvesSearch *search, int64_t step, int64_t angle, SinoSlices slices, int64_t rows,
                               int64_t row, const void *projection);
SinoStatus sino_halves_normal_try(SinoHalvesSearch *search, int64_t lowest, int64_t count, SinoUsePrediction *use);
