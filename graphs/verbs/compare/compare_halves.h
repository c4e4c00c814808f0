/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare, halves: the noise, the error and the resolution of a volume, by the volumes of both halves of its
 * projections, which have the same balance of data and prior. Let d be the root mean square of their difference.
 *
 *     noise = d/2      of the mean of both, whose noise is independent
 *     error = d/√2     the noise of a half: twice the square of the volume's own, of which the other half stands for
 *                      what both halves have wrong in common, and no difference shows (docs/QUALITY.md)
 */
#pragma once

#include "runtime.h"

typedef struct SinoWorth {
    double noise, error;      /* root mean squares in the inscribed circles, in units of the volumes */
    double relative;          /* error, as a share of the root mean square of the volume; NaN: it is 0 */
    double half_bit, seventh; /* frequencies where the ring correlation falls below 1/2 bit and 1/7, cycles per voxel;
                               * NaN: it never does; 0: not known */
} SinoWorth;

/* By the mean squares of the difference, and of the mean of both halves; of no ring correlation. */
SinoWorth sino_compare_worth_of(double difference, double square);

/* Reads two volumes of equal size twice, a few slices at a time. SINO_BAD_INPUT: a value is NaN or infinite.
 * SINO_FAILED: no memory, or a task failed. */
SinoStatus sino_compare_halves(SinoRuntime *runtime, char *even, char *odd, SinoWorth *worth);
