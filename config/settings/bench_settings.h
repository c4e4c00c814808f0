/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench settings. */
#pragma once

#include "setting_types.h"

typedef struct SinoBenchSettings {
    unsigned precisions;        /* bits 1 << SinoPrecision, at least one is set */
    SinoCountList slice_counts; /* --slices: minibatches to measure */
    char *csv, *roofline;       /* paths of the table of figures and of the picture; NULL: none */
} SinoBenchSettings;
