/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice samples: numbers that each slice of a volume has, found for some slices. */
#include "slice_samples.h"

#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Slices that are searched in any case; slices of a volume that is searched as a whole; and the largest share of a
 * volume that is searched. */
enum { FIRST = 5, SMALL = 8, SHARE = 8 };

/* Numbers whose ratio is more than this are far apart: that of the same slice changes less with the noise. */
static const double far_apart = 1.4;

SinoStatus sino_slice_samples_new(int64_t slice_count, SinoSliceSamples *samples)
{
    const int64_t most = sino_smaller(slice_count, sino_larger(SMALL, slice_count / SHARE));
    *samples = (SinoSliceSamples){.most = most};
    SINO_TRY(sino_allocate(most, sizeof *samples->slice, "slices", &samples->slice));
    SINO_TRY(sino_allocate(most, sizeof *samples->number, "slices", &samples->number));
    samples->count = slice_count <= SMALL ? slice_count : FIRST;
    for (int64_t i = 1; i < samples->count; i++) samples->slice[i] = i * (slice_count - 1) / (samples->count - 1);
    return NULL;
}

void sino_slice_samples_free(SinoSliceSamples *samples)
{
    free(samples->slice);
    free(samples->number);
    *samples = (SinoSliceSamples){0};
}

static bool are_far_apart(int64_t a, int64_t b)
{
    const int64_t less = sino_smaller(a, b), more = sino_larger(a, b);
    return more - less > 1 && (double)more > far_apart * (double)less;
}

static void put(SinoSliceSamples *samples, int64_t at, int64_t slice)
{
    for (int64_t i = samples->count; i > at; i--) {
        samples->slice[i] = samples->slice[i - 1];
        samples->number[i] = samples->number[i - 1];
    }
    samples->slice[at] = slice;
    samples->number[at] = 0;
    samples->count++;
}

void sino_slice_samples_refine(SinoSliceSamples *samples)
{
    for (int64_t i = samples->count - 1; i > 0 && samples->count < samples->most; i--) {
        const int64_t a = samples->slice[i - 1], b = samples->slice[i];
        if (b - a > 1 && are_far_apart(samples->number[i - 1], samples->number[i])) put(samples, i, (a + b) / 2);
    }
}

void sino_slice_samples_interpolate(const SinoSliceSamples *samples, int64_t *number)
{
    number[samples->slice[0]] = samples->number[0];
    for (int64_t i = 1; i < samples->count; i++) {
        const int64_t a = samples->slice[i - 1], b = samples->slice[i];
        const double slope = (double)(samples->number[i] - samples->number[i - 1]) / (double)(b - a);
        for (int64_t s = a + 1; s <= b; s++) number[s] = samples->number[i - 1] + llround(slope * (double)(s - a));
    }
}
