/* SPDX-License-Identifier: BSD-3-Clause */
/* FBP as a part of other solvers. */
#pragma once

#include "solver.h"

/* Numbers of a minibatch's vectors. */
typedef struct SinoFbpVectors {
    int64_t from;      /* line integrals (SINO_ROWS_RAYS), which are filtered in place */
    int64_t completed; /* SINO_ROWS_COMPLETED */
    int64_t to;        /* the tomogram */
    /* With several subsets only: the filtered rays by subset (SINO_ROWS_SUBSET), and the tomogram of one subset. */
    int64_t part, addend;
} SinoFbpVectors;

/* Inserts the filter and the backprojection. `run` is one that sino_solver_fbp.prepare was called with. */
SinoStatus sino_insert_fbp(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                           const SinoFbpVectors *vectors);

/* Adds vector `addend` of voxels to vector `to`, which the `first` addend starts. */
SinoStatus sino_insert_addend(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t addend,
                              int64_t to, bool first);

/* FBP for an operator with so many subsets. */
const SinoSolver *sino_solver_fbp_of(int64_t subset_count);
