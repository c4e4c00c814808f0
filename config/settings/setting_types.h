/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting types: lists that several groups of settings have. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Distinct counts, in the order in which the user gave them. */
enum { SINO_COUNTS_MAX = 32 };

typedef struct SinoCountList {
    int64_t count; /* 1 … SINO_COUNTS_MAX */
    int64_t value[SINO_COUNTS_MAX];
} SinoCountList;

typedef struct SinoWeightList {
    int64_t count; /* 0: not given; at most SINO_WEIGHTS_MAX */
    double *value; /* owned by the settings */
    bool measured; /* auto: by times that runs have kept; count is 0 */
} SinoWeightList;
