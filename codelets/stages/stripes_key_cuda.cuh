/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: floats as unsigned integers in their order, mirrored indices, and what else kernels share. */
#pragma once

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

/* Column c, beyond the ends mirrored once. */
static __device__ __forceinline__ int sino_stripes_mirrored_once(int c, int column_count)
{
    return c < 0 ? -1 - c : c < column_count ? c : 2 * column_count - 1 - c;
}

/* Index i of n samples, beyond the ends mirrored as often as needed. */
static __device__ __forceinline__ int sino_stripes_mirrored_far(int i, int n)
{
    if (i >= 0 && i < n) return i;
    const int turn = 2 * n, at = (i % turn + turn) % turn;
    return at < n ? at : turn - 1 - at;
}

/* The number at a share of the way from one to another, with the bits of the cores': the median of another rank may
 * replace a value that is off by its last bit. */
static __device__ __forceinline__ float sino_stripes_between(float from, float to, float share)
{
    return __fadd_rn(__fmul_rn(1 - share, from), __fmul_rn(share, to));
}

/* The sum over a warp, in its first lane. */
template <class Real> static __device__ __forceinline__ Real sino_stripes_add_lanes(Real sum)
{
    for (unsigned half = 16; half >= 1; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    return sum;
}

/* The value of number size/2 in the order of the `size` values get(0), get(1) …: its key is the largest one that at
 * most size/2 keys are below, found bit by bit. */
template <class Get> static __device__ __forceinline__ float sino_stripes_bit_median(int size, const Get &get)
{
    unsigned median = 0;
    for (int bit = 31; bit >= 0; bit--) {
        const unsigned least = median | 1u << bit;
        int below = 0;
        for (int w = 0; w < size; w++) below += sino_stripes_key(get(w)) < least;
        if (below <= size / 2) median = least;
    }
    return sino_stripes_value(median);
}

/* The least product is kept as the complement of its key, so that 0 is above all products. */
static __device__ __forceinline__ float sino_stripes_least(unsigned least)
{
    return sino_stripes_value(~least);
}
