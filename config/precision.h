/* SPDX-License-Identifier: BSD-3-Clause */
/* Precision: the types in which vectors and ray lengths are stored and multiplied. */
#ifndef SINO_PRECISION_H
#define SINO_PRECISION_H

#include "vector.h"

#include <stddef.h>
#include <stdint.h>

typedef enum SinoPrecision {
    SINO_SINGLE, /* float */
    SINO_DOUBLE, /* double */
    SINO_HALF,   /* IEEE binary16: what an SpMM reads and writes */
    SINO_MIXED,  /* what an SpMM reads is half, what it writes and computes with is single */
    SINO_PRECISIONS
} SinoPrecision;

/* Bytes of a ray's length in a voxel, and of an element of the vectors that an SpMM reads. */
SINO_INLINE size_t sino_precision_bytes(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? sizeof(double) : precision == SINO_SINGLE ? sizeof(float) : sizeof(uint16_t);
}

/* The precision of the solvers' vectors: SINO_DOUBLE or SINO_SINGLE. */
static inline SinoPrecision sino_precision_solver(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? SINO_DOUBLE : SINO_SINGLE;
}

#endif
