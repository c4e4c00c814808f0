/* SPDX-License-Identifier: BSD-3-Clause */
/* Penalty: the prior of BSREM, and its updates of x (codelets/bricks/bsrem.h). */
#pragma once

#include "bsrem.h"
#include "sensitivity.h"

typedef struct SinoPenalty {
    SinoBsrem bsrem;                  /* of any slices */
    SinoData *column, *place, *kappa; /* owned */
} SinoPenalty;

/* Vectors of the sensitivities, and κ. */
extern const SinoVectors sino_penalty_vectors;

/* SINO_FAILED: no memory. The grid of the matrix is known. */
SinoStatus sino_penalty_new(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoPenalty **penalty);
void sino_penalty_free(SinoPenalty *penalty); /* takes NULL */

/* Finds the typical values of vector x before an iteration, of the first few; later ones keep them. */
SinoStatus sino_penalty_typical(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t x);

/* strength[i]: β of set i of a minibatch, for whose tasks it waits; NaN: the set has no counts. */
SinoStatus sino_penalty_strengths(const SinoPenalty *penalty, const SinoMinibatch *minibatch, double *strength);

/* Updates x by the subset's g; the vectors with these numbers change places. */
SinoStatus sino_penalty_update(SinoSolverRun *run, const SinoPenalty *penalty, const SinoSensitivity *sensitivity,
                               SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t g, int64_t x);
