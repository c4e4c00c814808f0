/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic: small integer functions that every room needs, and π. */
#pragma once

#include <stdint.h>

#define SINO_PI 3.14159265358979323846

static inline int64_t sino_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t sino_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a·b for sizes a, b ≥ 0, saturating at 2⁵⁹: no product wraps, eight of them can be added, and an allocation of that
 * size fails. Sizes that are products are made by this or by sino_multiply (tests/static/sizes). */
static inline int64_t sino_times(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 59;
    return a > 0 && b > most / a ? most : a * b;
}

/* a/b rounded up: the number of pieces of at most b in a. a ≥ 0, b > 0; a + b must fit in 63 bits. */
static inline int64_t sino_ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The least multiple of b that is at least a; limits as of sino_ceil_divide. */
static inline int64_t sino_ceil_multiple(int64_t a, int64_t b)
{
    return sino_ceil_divide(a, b) * b;
}
