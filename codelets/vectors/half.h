/* SPDX-License-Identifier: BSD-3-Clause */
/* Half: IEEE 754 binary16 in a uint16_t, and conversion from and to float, rounded to nearest even. The conversions
 * have no branches, so that loops over them vectorise on every processor. */
#pragma once

#include "vector.h"

#include <stdint.h>

typedef uint16_t SinoHalf;

SINO_INLINE uint32_t sino_float_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = value};
    return u.bits;
}

SINO_INLINE float sino_float_of_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = bits};
    return u.value;
}

/* Small exponents: adding 0.5 aligns the last place with that of subnormal halves. Values above the largest half become
 * infinite; NaN stays NaN. */
SINO_INLINE SinoHalf sino_half(float value)
{
    const uint32_t bits = sino_float_bits(value), sign = bits & 0x80000000u, size = bits ^ sign;
    const uint32_t rebias = (uint32_t)(15 - 127) << 23;
    const uint32_t normal = (size + rebias + 0xfffu + ((size >> 13) & 1)) >> 13;
    const uint32_t small = sino_float_bits(sino_float_of_bits(size) + 0.5f) - sino_float_bits(0.5f);
    const uint32_t large = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t half = size < 113u << 23 ? small : size >= 143u << 23 ? large : normal;
    return (SinoHalf)(half | sign >> 16);
}

SINO_INLINE float sino_half_value(SinoHalf half)
{
    const uint32_t size = (uint32_t)(half & 0x7fffu) << 13, sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t bits = sino_float_bits(sino_float_of_bits(size) * 0x1p112f);
    return sino_float_of_bits((bits >= 143u << 23 ? bits | 0x7f800000u : bits) | sign);
}
