/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver, table: all solvers. */
#include "solver.h"

/* Of several solvers of an algorithm, the last one that may be taken is. */
static const SinoSolver *const solvers[] = {&sino_solver_cg,    &sino_solver_cg_weighted,   &sino_solver_cg_normal,
                                            &sino_solver_sirt,  &sino_solver_sirt_weighted, &sino_solver_sirt_given,
                                            &sino_solver_fbp,   &sino_solver_mlem,          &sino_solver_osem,
                                            &sino_solver_fista, &sino_solver_fista_volume,  &sino_solver_fista_normal};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice, SinoProjector projector, SinoRayWeights weights,
                                   int64_t prior_dimensions)
{
    const SinoSolver *found = NULL;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const bool may = (!solvers[i]->normal || projector == SINO_PROJECTOR_TOEPLITZ) &&
                         (!solvers[i]->weighted || weights == SINO_WEIGHTS_COUNTS || weights == SINO_WEIGHTS_FILE) &&
                         (!solvers[i]->given || weights == SINO_WEIGHTS_FILE) &&
                         (!solvers[i]->volume || prior_dimensions == 3);
        if (solvers[i]->choice == choice && may) found = solvers[i];
    }
    return found;
}

const SinoSolver *sino_solver_of(const SinoSettings *settings)
{
    return sino_solver_find(settings->algorithm, settings->projector, settings->weights, settings->prior_dimensions);
}

bool sino_solver_weighs_rays(const SinoSolver *solver)
{
    return solver->iterative && !solver->normal;
}
