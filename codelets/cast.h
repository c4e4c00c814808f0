/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: vectors of floats to halves and back, with adaptive normalisation (M. Hidayetoğlu et al., "Petascale XCT",
 * SC 2020, Sec. III-C: the largest absolute value scales what is stored).
 *
 * A half holds shares of a unit: value = share·unit. The unit is a power of two for each slice, so that scaling rounds
 * nothing and a slice's result does not depend on the slices beside it. Vectors lie in panels (panel.h) and are single;
 * values of 2⁻²⁴ of the largest share are still normal numbers of a half when that is 2¹⁴. */
#ifndef SINO_CAST_H
#define SINO_CAST_H

#include "half.h"
#include "panel.h"

#include <math.h>
#include <stdbool.h>

/* One minibatch's units. */
typedef struct SinoUnits {
    float largest[SINO_SLICES_MAX]; /* |value|, while parts of the vector are looked at */
    float unit[SINO_SLICES_MAX];
} SinoUnits;

/* The power of two of which `largest` is less than 2^exponent. */
SINO_INLINE float sino_cast_unit(float largest, int exponent)
{
    int power;
    if (!(largest > 0) || !isfinite(largest)) return 1;
    (void)frexpf(largest, &power);
    const int least = -126, most = 126; /* the unit and its reciprocal are normal numbers */
    power -= exponent;
    return ldexpf(1, power < least ? least : power > most ? most : power);
}

/* Looks at `rows` rows of a vector, the first part of it when `first`; with the `last` part, units become such that
 * shares are below 2^exponent. A slice of zeros, or one that has an infinite value, has unit 1; NaN is passed over. */
void sino_cast_units(SinoSlices slices, int64_t rows, const float *x, int exponent, bool first, bool last,
                     SinoUnits *units);

/* to = x/unit, rounded to nearest. Shares too large for a half become infinite. */
void sino_cast_narrow(SinoSlices slices, int64_t rows, const float *x, const SinoUnits *units, SinoHalf *to);

/* to = x·unit. */
void sino_cast_widen(SinoSlices slices, int64_t rows, const SinoHalf *x, const SinoUnits *units, float *to);

#endif
