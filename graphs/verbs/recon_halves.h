/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto and --iterations auto: what a slice decides for the whole volume (halves.h). */
#ifndef SINO_RECON_HALVES_H
#define SINO_RECON_HALVES_H

#include "team.h"

/* Nothing is owned. */
typedef struct SinoReconHalves {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* all slices and angles of the scan */
    const SinoTeam *team;
    const SinoOperator *op;
    const SinoSolver *solver;
    const unsigned char *mask; /* mask.h; NULL: none */
    int64_t slice;             /* that decides */
} SinoReconHalves;

typedef struct SinoReconChoice {
    SinoRegularization regularization; /* of fista; strength NaN: another solver, or the rank is idle */
    int64_t iterations;                /* 0: as many as the settings say */
} SinoReconChoice;

/* As the settings call it. */
const char *sino_prior_name(SinoPriorChoice prior);

/* What the settings say, or, where they are auto, what a part of the projections finds. */
SinoStatus sino_recon_halves(const SinoReconHalves *of, SinoReconChoice *choice);

#endif
