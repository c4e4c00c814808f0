/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural logarithm that compilers vectorise, for log-likelihoods. */
#pragma once

#include "vector.h"

#include <math.h>
#include <stdint.h>

/* ln x of a positive, normal x, with an error of at most 1e−15 · max(1, |ln x|). With x = m·2ᵉ and m from √½ to √2, and
 * f = (m − 1)/(m + 1): ln x = e·ln 2 + 2·(f + f³/3 + f⁵/5 + …), where f² < 0.0295, so that ten terms do. Selections
 * would keep compilers from vectorising the loop around. */
SINO_INLINE double sino_logarithm(double x)
{
#ifdef __CUDA_ARCH__
    return log(x);
#else
    const int64_t least_m = 0x3fe6a09e667f3bcd;                                /* the bits of √½ */
    const double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b39p-40; /* e·ln2_high is exact */
    int64_t bits;
    double m;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const int64_t exponent = (bits - least_m) >> 52, of_m = bits - exponent * ((int64_t)1 << 52);
    __builtin_memcpy(&m, &of_m, sizeof m);
    const double e = (double)(int32_t)exponent, f = (m - 1) / (m + 1), g = f * f;
    double series = 1.0 / 19;
    series = series * g + 1.0 / 17;
    series = series * g + 1.0 / 15;
    series = series * g + 1.0 / 13;
    series = series * g + 1.0 / 11;
    series = series * g + 1.0 / 9;
    series = series * g + 1.0 / 7;
    series = series * g + 1.0 / 5;
    series = series * g + 1.0 / 3;
    return e * ln2_high + (2 * f + (2 * f * g * series + e * ln2_low));
#endif
}
