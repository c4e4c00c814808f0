/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: floats as unsigned integers in their order, and the least product of Titarenko's method. */
#ifndef SINO_STRIPES_KEY_CUDA_CUH
#define SINO_STRIPES_KEY_CUDA_CUH

#include "simt.h"

extern "C" {
#include "stripes_gathered.h"
}

static __device__ __forceinline__ unsigned sino_stripes_key(float value)
{
    const unsigned bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static __device__ __forceinline__ float sino_stripes_value(unsigned key)
{
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

/* The least product is kept as the complement of its key, so that 0 is above all products. */
static __device__ __forceinline__ float sino_stripes_least(unsigned least)
{
    return sino_stripes_value(~least);
}

#endif
