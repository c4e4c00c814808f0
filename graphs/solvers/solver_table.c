/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver, table: all solvers. */
#include "solver.h"

static const SinoSolver *const solvers[] = {&sino_solver_cg,   &sino_solver_sirt, &sino_solver_fbp,
                                            &sino_solver_mlem, &sino_solver_osem, &sino_solver_fista};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i]->choice == choice) return solvers[i];
    return NULL;
}
