/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver, table: all solvers. */
#include "solver.h"

static const SinoSolver *const solvers[] = {&sino_solver_cg,   &sino_solver_cg_normal, &sino_solver_sirt,
                                            &sino_solver_fbp,  &sino_solver_mlem,      &sino_solver_osem,
                                            &sino_solver_fista};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice, SinoProjector projector)
{
    const SinoSolver *found = NULL;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const bool may = !solvers[i]->normal || projector == SINO_PROJECTOR_TOEPLITZ;
        if (solvers[i]->choice == choice && may)
            found = solvers[i]; /* the last one: a solver with AᵀA if there is one */
    }
    return found;
}

bool sino_solver_weighs_rays(const SinoSolver *solver)
{
    return solver->iterative && !solver->normal;
}
