/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, normal: whether the normal operator, --projector toeplitz, serves settings that leave the projector to the
 * plan. */
#include "settings.h"

#include <math.h>

/* Subsets make iterations of fista by rays longer, so that a number of them means something else by the normal
 * operator, which has none. */
static bool fista_serves(const SinoSettings *settings)
{
    return settings->usual_iterations && settings->subsets == 0 && settings->prior_dimensions != 3;
}

static bool cg_serves(const SinoSettings *settings)
{
    return settings->iterations > 0 && !settings->start && !settings->mask && !(settings->support_ratio > 0);
}

static bool serves(const SinoSettings *settings)
{
    if (settings->algorithm == SINO_ALGORITHM_FISTA) return fista_serves(settings);
    return settings->algorithm == SINO_ALGORITHM_CG && cg_serves(settings);
}

bool sino_settings_by_normal(const SinoSettings *settings, SinoSettings *normal)
{
    const bool left = settings->projector == SINO_PROJECTOR_AUTO && settings->geometry == SINO_GEOMETRY_PARALLEL &&
                      settings->precision == SINO_SINGLE && settings->grid.data_ranks <= 1 && !settings->operator_cache;
    const bool whole = settings->reconstruction_type == SINO_RECONSTRUCTION_FULL && !(settings->tolerance > 0) &&
                       (isnan(settings->margin) || settings->margin == 0);
    const bool weighted = settings->weights == SINO_WEIGHTS_COUNTS || settings->weights == SINO_WEIGHTS_FILE;
    if (!left || !whole || weighted || !serves(settings)) return false;
    *normal = *settings;
    normal->projector = SINO_PROJECTOR_TOEPLITZ;
    if (settings->algorithm == SINO_ALGORITHM_FISTA) normal->iterations = SINO_NORMAL_ITERATIONS;
    return true;
}
