/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensitivity: what MLEM and OSEM know of each subset of the rays before the first iteration, and the updates of x that
 * need it. Shared by solver_mlem.c (scans) and solver_counts.c (counts of a system matrix). */
#pragma once

#include "bsrem.h"
#include "solver.h"

typedef struct SinoSensitivity {
    int64_t subset_count;
    int64_t *order;     /* [subset_count]: the order in which subsets have their turns; owned */
    SinoData ***weight; /* [subset][partition]: 1/s of the subset, 0 where s is 0; owned */
    double total;       /* Σ s of all voxels and subsets */
} SinoSensitivity;

/* Vectors that the sensitivities are computed from: factors of the rays, and Aᵀ of them. */
extern const SinoVectors sino_sensitivity_vectors;

/* Computes s = Aᵀ n of every subset. factor: n by subset, [row]; NULL: all 1. known: [voxel], the sensitivity to all
 * rays of an operator with one partition, of which each subset has the same share, in place of Aᵀ n; NULL: none. */
SinoStatus sino_sensitivity_new(SinoSolverRun *run, SinoData *const *factor, SinoData *known,
                                SinoSensitivity **sensitivity);
void sino_sensitivity_free(const SinoSolverRun *run, SinoSensitivity *sensitivity); /* takes NULL */

/* Starts vector `x` with Σb/Σs in every voxel that a ray of some subset meets, 0 elsewhere. sums: Σb of all ranks. */
SinoStatus sino_sensitivity_start(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoMinibatch *minibatch,
                                  SinoData *sums, int64_t x);

/* x = x/s · g of the subset; voxels that no ray of the subset meets keep their value. g, x: numbers of vectors. */
SinoStatus sino_sensitivity_update(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoMinibatch *minibatch,
                                   int64_t iteration, int64_t subset, int64_t g, int64_t x);

/* Penalty: the prior of BSREM, and its updates of x (codelets/bricks/bsrem.h). */

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
