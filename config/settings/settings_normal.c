/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, normal: whether the normal operator, --projector toeplitz, serves settings that leave the projector to the
 * plan. */
#include "settings.h"

#include <math.h>

/* Subsets make iterations of fista by rays longer, so that a number of them means something else by the normal
 * operator, which has none. */
static bool fista_serves(const SinoSettings *settings)
{
    return settings->solver.usual_iterations && settings->solver.subsets == 0 && settings->prior.dimensions != 3;
}

static bool cg_serves(const SinoSolverSettings *settings)
{
    return settings->iterations > 0 && !settings->start && !settings->mask && !(settings->support_ratio > 0);
}

static bool serves(const SinoSettings *settings)
{
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA) return fista_serves(settings);
    return settings->solver.algorithm == SINO_ALGORITHM_CG && cg_serves(&settings->solver);
}

bool sino_settings_by_normal(const SinoSettings *settings, SinoSettings *normal)
{
    const bool left = settings->projection.projector == SINO_PROJECTOR_AUTO &&
                      settings->geometry.kind == SINO_GEOMETRY_PARALLEL &&
                      settings->projection.precision == SINO_SINGLE && settings->team.grid.data_ranks <= 1 &&
                      !settings->projection.cache;
    const bool whole = settings->center.reconstruction_type == SINO_RECONSTRUCTION_FULL &&
                       !(settings->solver.tolerance > 0) &&
                       (isnan(settings->geometry.margin) || settings->geometry.margin == 0);
    const bool weighted =
        settings->solver.weights == SINO_WEIGHTS_COUNTS || settings->solver.weights == SINO_WEIGHTS_FILE;
    if (!left || !whole || weighted || !serves(settings)) return false;
    *normal = *settings;
    normal->projection.projector = SINO_PROJECTOR_TOEPLITZ;
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA) normal->solver.iterations = SINO_NORMAL_ITERATIONS;
    normal->solver.few_angles = false;
    return true;
}
