/* SPDX-License-Identifier: BSD-3-Clause */
/* Precision: the element types of vectors and of ray lengths. */
#pragma once

#include "vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SinoPrecision {
    SINO_SINGLE, /* float */
    SINO_DOUBLE, /* double */
    SINO_HALF,   /* IEEE binary16: an SpMM reads and writes halves */
    SINO_MIXED,  /* an SpMM reads halves, computes in single and writes single */
    SINO_PRECISIONS
} SinoPrecision;

/* Bytes of one stored length of a ray in a voxel, and of one element of a vector that an SpMM reads. */
SINO_INLINE size_t sino_precision_bytes(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? sizeof(double) : precision == SINO_SINGLE ? sizeof(float) : sizeof(uint16_t);
}

/* Precision of the solvers' vectors: SINO_DOUBLE or SINO_SINGLE. */
static inline SinoPrecision sino_precision_solver(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? SINO_DOUBLE : SINO_SINGLE;
}

/* Whether an SpMM reads halves, so that vectors must be cast to half before it. */
static inline bool sino_precision_is_narrow(SinoPrecision precision)
{
    return precision == SINO_HALF || precision == SINO_MIXED;
}
