/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver, table: all solvers. */
#include "solver.h"

#include <stdio.h>

/* Of several solvers of an algorithm, the last one that may be taken is. */
static const SinoSolver *const solvers[] = {
    &sino_solver_cg,        &sino_solver_cg_weighted,   &sino_solver_cg_normal,
    &sino_solver_sirt,      &sino_solver_sirt_weighted, &sino_solver_sirt_given,
    &sino_solver_fbp,       &sino_solver_mlem,          &sino_solver_osem,
    &sino_solver_fista,     &sino_solver_fista_volume,  &sino_solver_fista_normal,
    &sino_solver_fista_band};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice, SinoProjector projector, SinoRayWeights weights,
                                   int64_t prior_dimensions)
{
    const SinoSolver *found = NULL;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const bool may = (!solvers[i]->normal || sino_operator_is_normal(projector)) &&
                         (!solvers[i]->weighted || weights == SINO_WEIGHTS_COUNTS || weights == SINO_WEIGHTS_FILE) &&
                         (!solvers[i]->given || weights == SINO_WEIGHTS_FILE) &&
                         (!solvers[i]->volume || prior_dimensions == 3) && !solvers[i]->bands;
        if (solvers[i]->choice == choice && may) found = solvers[i];
    }
    return found;
}

bool sino_solver_fits(const SinoSolver *solver, const SinoOperatorKind *kind)
{
    if (solver->normal || kind->normal) return solver->normal && kind->normal;
    if ((solver->tiles && !kind->tiling) || (solver->bands && !kind->band)) return false;
    return kind->project || !solver->iterative;
}

bool sino_solver_exists(SinoAlgorithmChoice choice, const SinoOperatorKind *kind)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i]->choice == choice && sino_solver_fits(solvers[i], kind)) return true;
    return false;
}

void sino_solver_names(const SinoOperatorKind *kind, char *text, size_t size)
{
    size_t length = 0;
    SinoAlgorithmChoice last = SINO_ALGORITHM_FDK; /* which is in no list; those of one algorithm follow each other */
    *text = 0;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers && length < size; i++) {
        if (solvers[i]->choice == last || !sino_solver_fits(solvers[i], kind)) continue;
        last = solvers[i]->choice;
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? " or " : "", sino_algorithm_name(last));
    }
}

const SinoSolver *sino_solver_of(const SinoSettings *settings)
{
    if (settings->input.follow && settings->solver.algorithm == SINO_ALGORITHM_FBP) return &sino_solver_fbp_blocks;
    return sino_solver_find(settings->solver.algorithm, settings->projection.projector, settings->solver.weights,
                            settings->prior.dimensions);
}

const SinoSolver *sino_solver_of_cone(const SinoSettings *settings)
{
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA) return &sino_solver_fista_band;
    if (settings->solver.algorithm == SINO_ALGORITHM_FDK) return &sino_solver_fdk;
    return sino_solver_find(settings->solver.algorithm, SINO_PROJECTOR_RAYS, settings->solver.weights, 2);
}

bool sino_solver_weighs_rays(const SinoSolver *solver)
{
    return solver->iterative && !solver->normal;
}
