/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization: the strength of the prior of a run. */
#ifndef SINO_RECON_STRENGTH_H
#define SINO_RECON_STRENGTH_H

#include "team.h"

/* Nothing is owned. */
typedef struct SinoReconStrength {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* all slices and angles of the scan */
    const SinoTeam *team;
    const SinoOperator *op;
    const SinoSolver *solver;
    int64_t slice; /* by which the strength is found */
} SinoReconStrength;

/* The strength that the settings give, or, where they do not, what sino_strength_find finds; NaN on an idle rank, and
 * of other solvers. */
SinoStatus sino_recon_strength(const SinoReconStrength *of, double *strength);

#endif
