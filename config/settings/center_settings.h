/* SPDX-License-Identifier: BSD-3-Clause */
/* Center settings: the rotation axis, its search, and --reconstruction-type try. */
#pragma once

#include <stdint.h>

typedef enum SinoReconstructionType { SINO_RECONSTRUCTION_FULL, SINO_RECONSTRUCTION_TRY } SinoReconstructionType;

typedef enum SinoCenterMethod {
    SINO_CENTER_AUTO,
    SINO_CENTER_VO,
    SINO_CENTER_PHASE,
    SINO_CENTER_PAIRS,
    SINO_CENTER_ENTROPY
} SinoCenterMethod;

typedef struct SinoCenterSettings {
    double row;              /* where the plane of the source meets the detector; NaN: the middle */
    double rotation_axis;    /* NaN: auto */
    SinoCenterMethod method; /* --rotation-axis-auto */
    SinoReconstructionType reconstruction_type;
    double search_width; /* pixels to each side, for the search and for `try` */
    double search_step;  /* pixels, for `try` */
    char *sweep;         /* --sweep of recon: what `try` tries (settings_vary.h); NULL: centers */
    int64_t nsino;       /* --nsino: the row for the center search and for `try`; −1: the middle row */
} SinoCenterSettings;
