/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission: rows of a projection as they are before the logarithm, for what filters or resamples images (phase.h,
 * tilt.h). */
#pragma once

#include "correct.h"

/* Where rows come from. counts, flat, dark and the correction's row_count and sets are those of correct.h; its image,
 * if it has one, takes the place of the counts. Nothing is owned. */
typedef struct SinoTransmission {
    const SinoCorrection *correction;
    int64_t column_count; /* of counts, flat and dark; the correction has those of the result */
    const void *counts;
    const float *flat, *dark;
    float *light; /* [column_count]: scratch memory */
} SinoTransmission;

/* Bounds of a row, as those of correct.h in a slice: counts below `limit` are not saturated; counts and fields between
 * −plausible and `plausible` are plausible. */
typedef struct SinoTransmissionBounds {
    float limit, plausible;
} SinoTransmissionBounds;
SinoTransmissionBounds sino_transmission_bounds(const SinoTransmission *of, int64_t row);

/* The image of angle k, valid until the next call. */
const void *sino_transmission_image(const SinoTransmission *of, int64_t k);

/* line[column_count]: row `row` of the image of angle k, divided by its flat field; NaN where correct.h takes values
 * for undefined. Returns how many are. */
int64_t sino_transmission_row(const SinoTransmission *of, const void *image, int64_t k, int64_t row,
                              SinoTransmissionBounds bounds, float *line);

/* Interpolates undefined values between the nearest defined columns; `alone` if there is none. */
void sino_transmission_fill(int64_t column_count, float alone, float *line);
