/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripe sample: how much stripe removal would take from some projections of a scan, beside their noise. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Sums over rows, of variances. */
typedef struct SinoStripeSample {
    int64_t rows;    /* that could tell */
    int64_t columns; /* of them all */
    double offsets;  /* of the columns' offsets that SINO_STRIPES_WIENER takes out (stripes.h) */
    double noise;    /* of a value: the noise, or a quarter of what noise and edges make, if this is more */
} SinoStripeSample;

/* Adds a row: integrals[projection][column], the projections spread over the scan, at least 16; NaN: undefined. */
SinoStatus sino_stripe_sample_add(int64_t projections, int64_t columns, const float *integrals,
                                  SinoStripeSample *sample);

/* The deviation of the columns' offsets; 0 if it is too little to gain more than a hundredth of the error of a slice by
 * it; NaN: nothing is known. */
double sino_stripe_sample_deviation(const SinoStripeSample *sample);
