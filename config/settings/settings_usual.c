/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, usual: defaults that follow the geometry and the algorithm. */
#include "settings.h"
#include "settings_table.h"

#include <string.h>

/* FISTA with its usual subsets comes close to its minimum in 15 iterations, without subsets in 80. More than those of
 * the demo would fit the noise of its scan, or its counts. */
static const char *usual_iterations(int verb, const SinoSettings *settings)
{
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA)
        return settings->projection.projector == SINO_PROJECTOR_TOEPLITZ ? SINO_NORMAL_ITERATIONS_TEXT : "15";
    if (verb != SINO_VERB_DEMO) return "30";
    if (settings->geometry.kind != SINO_GEOMETRY_PET) return "12";
    return settings->solver.algorithm == SINO_ALGORITHM_OSEM ? "2" : "20";
}

const char *sino_setting_settled(const SinoSetting *row, int verb, const SinoSettings *settings)
{
    if (strcmp(row->name, "algorithm") == 0 && settings->geometry.kind != SINO_GEOMETRY_PARALLEL) return NULL;
    if (strcmp(row->name, "iterations") == 0) return usual_iterations(verb, settings);
    if (strcmp(row->name, "prior") == 0)
        return settings->solver.algorithm == SINO_ALGORITHM_BSREM ? "relative-difference" : "auto";
    return row->fallback;
}
