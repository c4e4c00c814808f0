/* SPDX-License-Identifier: BSD-3-Clause */
/* Precision: the type in which vectors and ray lengths are stored and multiplied. */
#ifndef SINO_PRECISION_H
#define SINO_PRECISION_H

#include <stddef.h>

typedef enum SinoPrecision {
    SINO_SINGLE, /* float */
    SINO_DOUBLE  /* double */
} SinoPrecision;

/* Bytes of one element of a vector. */
static inline size_t sino_precision_bytes(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? sizeof(double) : sizeof(float);
}

#endif
