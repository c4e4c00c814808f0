/* SPDX-License-Identifier: BSD-3-Clause */
/* Beside: the slices before and after those of a panel, in the vector of one part and, at its ends, in an edge. */
#pragma once

#include "panel.h"

#include <stdbool.h>
#include <stdint.h>

/* A vector of `rows` rows, and the slice beyond one of its ends. Nothing is owned. */
typedef struct SinoBeside {
    SinoSlices slices;
    int64_t rows;
    const void *vector;
    const void *edge; /* [row]: the slice before the first one, or after the last one; NULL: there is none */
    bool same;        /* then it is taken for a copy of the slice at the end; false: for zeros */
} SinoBeside;
