/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice samples: numbers that each slice of a volume has, found for some slices. Slices spread over the volume come
 * first, or all slices of a small one. Then come those in the middle of two whose numbers are far apart, until no such
 * two are left, or an eighth of the volume is known. Numbers between two that are known are interpolated. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Slices in order, and their numbers, which are at least 1; 0: not known yet. */
typedef struct SinoSliceSamples {
    int64_t count, most;
    int64_t *slice, *number; /* [most]; owned */
} SinoSliceSamples;

/* The first slices of a volume of slice_count ≥ 1 slices, the first and the last one among them. SINO_FAILED: no
 * memory; the caller frees the samples in either case. */
SinoStatus sino_slice_samples_new(int64_t slice_count, SinoSliceSamples *samples);
void sino_slice_samples_free(SinoSliceSamples *samples);

/* Adds slices whose numbers are wanted next; all others are known. None are added once the numbers are good enough. */
void sino_slice_samples_refine(SinoSliceSamples *samples);

/* number[slice] of every slice of the volume; those of all samples are known. */
void sino_slice_samples_interpolate(const SinoSliceSamples *samples, int64_t *number);
