/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts of many sequences at once, by one instruction set, which SINO_ISA names.
 *
 * The lanes of a vector belong to different sequences, which the same network of comparators sorts: no branch depends
 * on a value. Runs of 8 are sorted in registers; then runs L are merged to 2L by Batcher's bitonic merge (Proc. AFIPS
 * Spring Joint Computer Conf. 32, 307 (1968)), whose first stage compares element i with element 2L − 1 − i, so that
 * all comparators leave the smaller value first. Elements behind the end would be infinite: their comparators do
 * nothing. Three stages at a time keep 8 elements in registers, and what fits the first-level cache is merged whole
 * before the next. */
#include "sort_lanes_isa.h"

#include "vector.h"

#include <stdbool.h>
#include <stddef.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

enum { LANES = SINO_VECTOR_BYTES / 4, RADIX = 8, CACHED = 256 /* elements of a block */ };

/* ---- vectors of LANES keys ---- */

#if defined __AVX512F__

typedef __m512i Keys;

SINO_INLINE Keys load(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

SINO_INLINE void store(uint32_t *to, Keys keys)
{
    _mm512_storeu_si512(to, keys);
}

SINO_INLINE Keys least(Keys a, Keys b)
{
    return _mm512_min_epu32(a, b);
}

SINO_INLINE Keys most(Keys a, Keys b)
{
    return _mm512_max_epu32(a, b);
}

#elif defined __AVX2__

typedef __m256i Keys;

SINO_INLINE Keys load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

SINO_INLINE void store(uint32_t *to, Keys keys)
{
    _mm256_storeu_si256((__m256i *)to, keys);
}

SINO_INLINE Keys least(Keys a, Keys b)
{
    return _mm256_min_epu32(a, b);
}

SINO_INLINE Keys most(Keys a, Keys b)
{
    return _mm256_max_epu32(a, b);
}

#else

typedef struct Keys {
    uint32_t at[LANES];
} Keys;

SINO_INLINE Keys load(const uint32_t *from)
{
    Keys keys = {{0}};
    for (int i = 0; i < LANES; i++) keys.at[i] = from[i];
    return keys;
}

SINO_INLINE void store(uint32_t *to, Keys keys)
{
    for (int i = 0; i < LANES; i++) to[i] = keys.at[i];
}

SINO_INLINE Keys least(Keys a, Keys b)
{
    for (int i = 0; i < LANES; i++) a.at[i] = a.at[i] < b.at[i] ? a.at[i] : b.at[i];
    return a;
}

SINO_INLINE Keys most(Keys a, Keys b)
{
    for (int i = 0; i < LANES; i++) a.at[i] = a.at[i] < b.at[i] ? b.at[i] : a.at[i];
    return a;
}

#endif

/* ---- networks of up to 8 elements, the first `present` of which exist ---- */

SINO_INLINE void compare(Keys *keys, int a, int b, int present)
{
    if (b >= present) return;
    const Keys low = least(keys[a], keys[b]);
    keys[b] = most(keys[a], keys[b]);
    keys[a] = low;
}

SINO_INLINE void sort_eight(Keys *keys, int present)
{
    static const int8_t pairs[][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
                                      {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    _Pragma("GCC unroll 19") for (int i = 0; i < 19; i++) compare(keys, pairs[i][0], pairs[i][1], present);
}

/* The stages of a bitonic merge whose strides are 4, 2 and 1 elements; `mirrored`: the first compares i with 7 − i. */
SINO_INLINE void merge_eight(Keys *keys, bool mirrored, int present)
{
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) compare(keys, i, mirrored ? 7 - i : i + 4, present);
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) compare(keys, i + i / 2 * 2, i + i / 2 * 2 + 2, present);
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) compare(keys, 2 * i, 2 * i + 1, present);
}

SINO_INLINE void merge_four(Keys *keys, int present)
{
    _Pragma("GCC unroll 2") for (int i = 0; i < 2; i++) compare(keys, i, i + 2, present);
    _Pragma("GCC unroll 2") for (int i = 0; i < 2; i++) compare(keys, 2 * i, 2 * i + 1, present);
}

typedef enum Network { SORT_EIGHT, MERGE_MIRRORED, MERGE_EIGHT, MERGE_FOUR, MERGE_TWO } Network;

/* Element i is low[i·stride] for the first half, then high[−(7 − i)·stride] where the network is mirrored, else the
 * same. */
SINO_INLINE uint32_t *element(Network network, int i, uint32_t *low, uint32_t *high, int64_t stride)
{
    return network == MERGE_MIRRORED && i >= RADIX / 2 ? high - (RADIX - 1 - i) * stride : low + i * stride;
}

SINO_INLINE void pass(Network network, int present, uint32_t *low, uint32_t *high, int64_t stride)
{
    Keys keys[RADIX];
    _Pragma("GCC unroll 8") for (int i = 0; i < present; i++) keys[i] = load(element(network, i, low, high, stride));
    if (network == SORT_EIGHT)
        sort_eight(keys, present);
    else if (network == MERGE_FOUR)
        merge_four(keys, present);
    else if (network == MERGE_TWO)
        compare(keys, 0, 1, present);
    else
        merge_eight(keys, network == MERGE_MIRRORED, present);
    _Pragma("GCC unroll 8") for (int i = 0; i < present; i++) store(element(network, i, low, high, stride), keys[i]);
}

SINO_INLINE void pass_present(Network network, int64_t present, uint32_t *low, uint32_t *high, int64_t stride)
{
    switch (present) {
    case 2:
        pass(network, 2, low, high, stride);
        break;
    case 3:
        pass(network, 3, low, high, stride);
        break;
    case 4:
        pass(network, 4, low, high, stride);
        break;
    case 5:
        pass(network, 5, low, high, stride);
        break;
    case 6:
        pass(network, 6, low, high, stride);
        break;
    case 7:
        pass(network, 7, low, high, stride);
        break;
    default:
        break;
    }
}

/* ---- blocks of `size` elements, a power of two, the first `count` of which exist ---- */

enum { STEP = SINO_SORT_LANES }; /* keys between the elements of a lane */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A network of `radix` elements that are `stride` apart, from each of the first `stride` elements on. */
SINO_INLINE void pass_block(Network network, int radix, int64_t stride, int64_t count, uint32_t *key)
{
    const int64_t full = count >= radix * stride ? stride : count - (radix - 1) * stride;
    int64_t i = 0;
    for (; i < full; i++) pass(network, radix, key + i * STEP, NULL, stride * STEP);
    for (; i < smaller(stride, count); i++)
        pass_present(network, (count - i + stride - 1) / stride, key + i * STEP, NULL, stride * STEP);
}

/* All stages of a bitonic merge after the first ones, strides size/2 … 1. */
static void merge_rest(int64_t size, int64_t count, uint32_t *key)
{
    if (count < 2 || size < 2) return;
    if (size == 2) {
        pass_block(MERGE_TWO, 2, 1, count, key);
    } else if (size == 4) {
        pass_block(MERGE_FOUR, 4, 1, count, key);
    } else {
        const int64_t part = size / RADIX;
        pass_block(MERGE_EIGHT, RADIX, part, count, key);
        for (int64_t i = 0; part > 1 && i < count; i += part)
            merge_rest(part, smaller(part, count - i), key + i * STEP);
    }
}

/* Merges two sorted runs of `size`/2. */
static void merge(int64_t size, int64_t count, uint32_t *key)
{
    const int64_t half = size / 2, stride = size / RADIX, missing = size - count;
    if (count <= half) return;
    for (int64_t i = 0; i < stride; i++) {
        uint32_t *low = key + i * STEP, *high = key + (size - 1 - i) * STEP;
        int64_t present = RADIX;
        for (int64_t j = 0; j < RADIX / 2; j++) present -= i + j * stride < missing;
        if (present == RADIX)
            pass(MERGE_MIRRORED, RADIX, low, high, stride * STEP);
        else if (present > RADIX / 2)
            pass_present(MERGE_MIRRORED, present, low, high, stride * STEP);
        /* else the four of the first half meet none of the second, and are sorted */
    }
    for (int64_t i = 0; stride > 1 && i < count; i += stride)
        merge_rest(stride, smaller(stride, count - i), key + i * STEP);
}

static void sort_block(int64_t size, int64_t count, uint32_t *key)
{
    if (count < 2) return;
    if (size == RADIX) {
        pass_block(SORT_EIGHT, RADIX, 1, count, key);
        return;
    }
    sort_block(size / 2, smaller(size / 2, count), key);
    sort_block(size / 2, count - smaller(size / 2, count), key + size / 2 * STEP);
    merge(size, count, key);
}

static void sort(int64_t count, uint32_t *key)
{
    int64_t size = RADIX;
    while (size < count) size *= 2;
    for (int64_t lane = 0; lane < SINO_SORT_LANES; lane += LANES) sort_block(size, count, key + lane);
}

const SinoSortLanesIsa SINO_ISA_OBJECT(sino_sort_lanes, SINO_ISA) = {.name = SINO_ISA_TEXT(SINO_ISA), .sort = sort};
