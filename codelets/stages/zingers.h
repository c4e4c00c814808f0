/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers: line integrals of pixels that a stray photon hit in one projection. Its counts are too high, so the line
 * integral is too low, and only at that angle. */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoZingers {
    int64_t angle_count, column_count; /* K, M of the sinograms */
    double level;                      /* how many standard deviations of its column's noise a zinger is below */
    double least;                      /* and how far at least, in the unit of the values */
    int64_t uncounted;                 /* zingers of this many slices, the first ones, are not counted */
    bool marked;                       /* zingers become undefined values; false: the median replaces them */
    const int64_t *order;              /* [K]: the angles in order, order[0] the first; NULL: they are in order; not
                                        * owned */
} SinoZingers;

/* A zinger is no factor of less than this, as a difference of line integrals in their natural unit. Without noise edges
 * of the object would be zingers, too. */
#define SINO_ZINGERS_LEAST 0.1

/* Finds zingers in place. Angle k has the rays place[k]·M + c of the sinogram, in panels (panel.h); place NULL: k. A
 * value is a zinger if it is below the median of itself and its two neighbours in the order of angles by more than
 * `level` standard deviations of the column's noise, and by `least`. The noise is told by the distances of
 * all values of the column from such medians; distances far above the mean do not count. `marked`: a zinger becomes −0
 * (correct.h), is added to undefined[slice], by_angle[k] and by_column[c]; else the median replaces it. Sinograms of
 * fewer than three angles, values −0 and padding are unchanged. A slice's result does not depend on the others. Safe
 * from many threads at once. SINO_FAILED: out of memory. */
SinoStatus sino_zingers_remove(const SinoZingers *zingers, SinoSlices slices, const int64_t *place, void *sinogram,
                               int64_t *undefined, int64_t *by_angle, int64_t *by_column);

/* The number of zingers that three neighbouring angles show by themselves: values of `here` that are below all of
 * columns c − 2 to c + 2 of `before` and `after` by more than three times the range of these ten, and by `least`. The
 * edges and thin parts of an object move by up to two columns from angle to angle, and are no zingers. Lines
 * [column_count]; NaN: undefined. */
int64_t sino_zingers_count(int64_t column_count, const float *before, const float *here, const float *after,
                           double least);

/* On a GPU, bit for bit, with all arrays in device memory, including zingers->order (cuda_stream.h). */
SinoStatus sino_zingers_remove_cuda(cudaStream_t stream, const SinoZingers *zingers, SinoSlices slices,
                                    const int64_t *place, void *sinogram, int64_t *undefined, int64_t *by_angle,
                                    int64_t *by_column);
