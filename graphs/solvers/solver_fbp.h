/* SPDX-License-Identifier: BSD-3-Clause */
/* FBP as a part of other solvers. */
#ifndef SINO_SOLVER_FBP_H
#define SINO_SOLVER_FBP_H

#include "solver.h"

/* Inserts the filter of vector `from`, line integrals that are changed in place, and their backprojection to vector
 * `to`. Vector `completed` has rows of the kind SINO_ROWS_COMPLETED. `run` is one that sino_solver_fbp.prepare was
 * called with. */
SinoStatus sino_insert_fbp(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t from,
                           int64_t completed, int64_t to);

#endif
