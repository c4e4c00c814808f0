/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice quality: numbers by which slices of the same object are compared. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Entropy, in nats, of the histogram of values in 256 classes that reach to 8 standard deviations from the mean; 0 if
 * all are equal. Blur and artefacts widen the peaks of the histogram. */
double sino_slice_entropy(int64_t count, const float *values);

/* Of the inscribed circle of slice[N][N], whose axis is the middle. */
typedef struct SinoSliceQuality {
    double entropy;
    double noise; /* standard deviation, in units of the slice (J. Immerkær, Comput. Vis. Image Underst. 64, 300
                   * (1996)): from differences of neighbours in which edges cancel */
    double rings; /* root mean square of what circles around the axis differ from the mean of their neighbours by, as a
                   * share of the slice's standard deviation */
} SinoSliceQuality;

/* SINO_FAILED: no memory. */
SinoStatus sino_slice_quality(int64_t size, const float *slice, SinoSliceQuality *quality);
