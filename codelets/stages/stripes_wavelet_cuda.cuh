/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: sums of the wavelet transform and its inverse (stripes_fw.c). */
#pragma once

#include "simt.h"

extern "C" {
#include "stripes_private.h"
}

/* Tap j of the scaling filter, in unrolled loops. */
static __device__ __forceinline__ float sino_stripes_tap(int j)
{
    constexpr float scaling[SINO_STRIPES_TAPS] = SINO_STRIPES_SCALING;
    return scaling[j];
}

/* Sample 2·i + phase of the inverse, by the smooth coefficients i … i + 4, `step` apart. */
static __device__ __forceinline__ float sino_stripes_join(const float *smooth, int64_t step, int phase)
{
    float sum = 0;
#pragma unroll
    for (int j = 0; j < SINO_STRIPES_TAPS / 2; j++) {
        const float even = sino_stripes_tap(SINO_STRIPES_TAPS - 2 - 2 * j);
        const float odd = sino_stripes_tap(SINO_STRIPES_TAPS - 1 - 2 * j);
        sum += (phase ? odd : even) * smooth[j * step];
    }
    return sum;
}

/* The same by the rough coefficients. */
static __device__ __forceinline__ float sino_stripes_join_rough(const float *rough, int64_t step, int phase)
{
    float sum = 0;
#pragma unroll
    for (int j = 0; j < SINO_STRIPES_TAPS / 2; j++)
        sum += (phase ? -sino_stripes_tap(2 * j) : sino_stripes_tap(2 * j + 1)) * rough[j * step];
    return sum;
}
