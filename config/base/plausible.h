/* SPDX-License-Identifier: BSD-3-Clause */
/* Plausible: how large a count may be, by the light that there is.
 *
 * The level of some values is the least power of two above all of them but the largest hundredth (three at least, half
 * of them at most), which may be faults themselves. Values are sorted by their exponents, so that the level has the
 * same bits whatever the order of the values is. Shared by C and CUDA C++. */
#pragma once

#include "vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Nothing that a detector sees is so many times as bright as its flat field: phase contrast makes it a few times as
 * bright, another exposure a hundred times. */
#define SINO_PLAUSIBLE_MOST 1000.0

/* The same for transmissions and line integrals. The −ln of the least positive float, 1.4e-45, is 103.3. */
#define SINO_PLAUSIBLE_MOST_DIVIDED 128.0

enum { SINO_EXPONENTS = 256 };

/* The exponent of |value|, as its bits have it: 0 for 0 and what is smaller than normal numbers, 255 if it is infinite
 * or NaN. */
SINO_INLINE int sino_exponent_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 23 & 0xff);
}

/* The level of values whose exponents are counted in of[SINO_EXPONENTS]; infinite if nearly all are 0, or there is
 * none. Infinite values and NaN do not count. */
SINO_INLINE double sino_exponents_level(const int *of)
{
    int64_t count = 0, larger = 0;
    int exponent = SINO_EXPONENTS - 1;
    for (int e = 0; e < SINO_EXPONENTS - 1; e++) count += of[e];
    int64_t left_out = count / 100 < 3 ? 3 : count / 100;
    if (left_out > count / 2) left_out = count / 2;
    while (exponent > 0 && larger <= left_out) larger += of[--exponent];
    return exponent > 0 ? ldexp(1.0, exponent - 126) : (double)INFINITY;
}
