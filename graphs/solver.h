/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver: what turns a minibatch's sinogram into its tomogram. A solver is one file and one row of the table in
 * solver.c. */
#ifndef SINO_SOLVER_H
#define SINO_SOLVER_H

#include "minibatch.h"

/* What a solver works with during a run. */
typedef struct SinoSolverRun {
    SinoRuntime *runtime;
    const SinoOperator *op; /* NULL until it is built */
    const SinoExchange *exchange;
    const SinoSettings *settings;
    int64_t stride;     /* of a minibatch's vectors: its slices, padding included */
    int64_t iterations; /* 0 for direct methods */
    void *own;          /* the solver's data of the run: made by prepare, freed by release */
} SinoSolverRun;

typedef struct SinoSolver {
    SinoAlgorithmChoice choice;
    bool iterative;
    SinoVectorCount vectors;
    /* Once per run; NULL: nothing to prepare or release. */
    SinoStatus (*prepare)(SinoSolverRun *run);
    void (*release)(SinoSolverRun *run);
    /* Submits the tasks from rays[0] (the line integrals b) to iteration 0: residual ‖b‖² recorded, what iteration 1
     * needs. A direct method's whole reconstruction. */
    SinoStatus (*start)(SinoSolverRun *run, SinoMinibatch *minibatch);
    /* Submits iteration i ≥ 1; its residual is recorded and active[i mod LOOKAHEAD] written. */
    SinoStatus (*iterate)(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);
} SinoSolver;

extern const SinoSolver sino_solver_cg, sino_solver_sirt, sino_solver_fbp;

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice);

/* update_start from the line integrals in rays[0]: what every solver begins with. */
SinoStatus sino_solver_start(SinoSolverRun *run, SinoMinibatch *minibatch);

/* update_record from the residuals' sums in minibatch->sums; all processes learn who goes on. */
SinoStatus sino_solver_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);

#endif
