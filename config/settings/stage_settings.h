/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage settings: the corrections of sinograms. */
#pragma once

#include "setting_types.h"

#include <stdint.h>

typedef enum SinoPhaseMethod {
    SINO_PHASE_NONE,
    SINO_PHASE_PAGANIN,
    SINO_PHASE_GPAGANIN,
    SINO_PHASE_BRONNIKOV,
    SINO_PHASE_CTF_METHOD
} SinoPhaseMethod;

/* Removal of stripes from sinograms (codelets/stages/stripes.h). */
typedef enum SinoStripeRemoval {
    SINO_REMOVE_AUTO,
    SINO_REMOVE_NONE,
    SINO_REMOVE_FW,
    SINO_REMOVE_TI,
    SINO_REMOVE_SORTING,
    SINO_REMOVE_VO_ALL,
    SINO_REMOVE_WIENER
} SinoStripeRemoval;

/* AUTO of both: by a sample of the scan (graphs/pipeline/checks/checks.h). */
typedef enum SinoZingerRemoval { SINO_ZINGERS_AUTO, SINO_ZINGERS_NONE, SINO_ZINGERS_STANDARD } SinoZingerRemoval;

typedef struct SinoStageSettings {
    char *order;                      /* --stages: their order; NULL: not given */
    SinoZingerRemoval zinger_removal; /* --zinger-removal-method */
    double zinger_level;              /* standard deviations */
    SinoStripeRemoval stripe_removal; /* --remove-stripe-method */
    double fw_sigma, ti_alpha, vo_snr;
    int64_t fw_level, ti_nblock;
    int64_t vo_small_size, vo_large_size; /* columns of medians; small 0: by the width of the detector */
    double air;                           /* columns of air at each side; 0: no normalisation; NaN: auto */
    double detector_tilt_deg;             /* --detector-tilt; 0: upright; NaN: auto */
    char *align;                          /* --align: "shifts" or a file of them; NULL: not given */
    SinoPhaseMethod phase_method;         /* --phase-method; what follows is 0 without it */
    double delta_beta, energy_kev, propagation_mm;
    char *material;                /* a formula, instead of delta_beta; NULL: not given */
    double density, attenuation;   /* of the material: g/cm³, 1/cm */
    SinoWeightList beam_hardening; /* coefficients of p, p², …; count 0: no correction */
} SinoStageSettings;
