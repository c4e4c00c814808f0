/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver: the table of solvers. */
#include "solver.h"

static const SinoSolver *const solvers[] = {&sino_solver_cg, &sino_solver_sirt, &sino_solver_fbp};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i]->choice == choice) return solvers[i];
    return NULL;
}

SinoIteration sino_solver_iteration(const SinoSolverRun *run, int64_t iteration)
{
    return (SinoIteration){
        .columns = run->iterations + 1, .iteration = iteration, .tolerance = run->settings->tolerance};
}
