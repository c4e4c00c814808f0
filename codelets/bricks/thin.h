/* SPDX-License-Identifier: BSD-3-Clause */
/* Thin: counts are divided into two halves at random. Each of n counts belongs to the first half with probability 1/2,
 * so that halves of Poisson deviates with the mean m are independent Poisson deviates with the mean m/2. */
#pragma once

#include "random_stream.h"

#include <math.h>
#include <stdbool.h>

/* The first half of a value, or the second one; both sum to the value. Whole counts beyond 2²⁰ have the deviation of
 * 2²⁰ coins, scaled. What a value has beyond a whole number is divided evenly. The coins depend on seed and row alone.
 */
static inline float sino_thin(float value, uint64_t seed, uint64_t row, bool second)
{
    const double whole = floor((double)value), tossed = fmin(whole, 0x1p20);
    const int64_t coins = (int64_t)tossed;
    SinoRandomStream stream = sino_random_stream(seed, row);
    int64_t heads = 0;
    for (int64_t i = 0; i < coins; i += 64) {
        const uint64_t some = coins - i < 64 ? ~(~(uint64_t)0 << (coins - i)) : ~(uint64_t)0;
        stream.counter += sino_golden_gamma;
        heads += __builtin_popcountll(sino_random_hash(stream.counter) & some);
    }
    const double off = (double)heads - tossed / 2;
    const double counted = whole > tossed ? nearbyint(whole / 2 + off * sqrt(whole / tossed)) : (double)heads;
    const double first = counted + ((double)value - whole) / 2;
    return (float)(second ? (double)value - first : first);
}
