/* SPDX-License-Identifier: BSD-3-Clause */
/* Projection settings: how the operator is computed, and kept. */
#pragma once

#include "panel.h"
#include "projector.h"

#include <stdbool.h>

typedef struct SinoProjectionSettings {
    SinoPrecision precision;
    bool symmetry; /* store symmetric rays (quarter turns, mirror images) once */
    SinoProjector projector;
    SinoInterpolation interpolation; /* of SINO_PROJECTOR_ROTATE */
    char *cache;                     /* directory of stored operators; NULL: none */
} SinoProjectionSettings;
