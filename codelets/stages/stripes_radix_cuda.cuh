/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: a block sorts by digits of eight bits, the lowest first; elements of equal digits keep their order.
 *
 * Lanes of a warp vote on each bit of their digits. A warp counts its digits in order; the sums over digits and warps
 * tell where each warp's elements of a digit begin. No element waits for another one's digit, and no atomic operation
 * decides on a place. */
#pragma once

#include "simt.h"

enum {
    SINO_RADIX_WARP = 32,
    SINO_RADIX_DIGITS = 256,
    SINO_RADIX_OF_LANE = SINO_RADIX_DIGITS / SINO_RADIX_WARP, /* digits that a lane adds up */
    SINO_RADIX_EACH = 4                                       /* 64-bit elements that a thread holds at a time */
};

typedef unsigned long long SinoElement;

/* Of a warp: of each digit how many elements have it, then the place of the first one. */
struct SinoRadixCounts {
    __align__(16) uint16_t of[SINO_RADIX_DIGITS];
};

/* Place before the sort of element e of the thread's EACH ones: those of a warp are adjacent. */
template <int EACH> static __device__ __forceinline__ int sino_radix_index(int e)
{
    const int lane = static_cast<int>(threadIdx.x) % SINO_RADIX_WARP,
              warp = static_cast<int>(threadIdx.x) / SINO_RADIX_WARP;
    return (warp * EACH + e) * SINO_RADIX_WARP + lane;
}

/* Of the lanes `among`, those whose digits have the same four lower bits. ptxas turns these to predicates by one
 * instruction if it does not know what they are made of; all eight at once are too many for it. */
static __device__ __forceinline__ unsigned sino_radix_same_bits(unsigned digit, unsigned among)
{
#pragma unroll
    for (unsigned bit = 1; bit < 16; bit *= 2) {
        unsigned is_set = digit & bit;
        asm("" : "+r"(is_set));
        const unsigned setting = __ballot_sync(0xffffffffu, is_set != 0);
        among &= is_set != 0 ? setting : ~setting;
    }
    return among;
}

/* The lanes that have the same digit. */
static __device__ __forceinline__ unsigned sino_radix_peers(unsigned digit)
{
    return sino_radix_same_bits(digit >> 4, sino_radix_same_bits(digit, 0xffffffffu));
}

/* The sum over the lanes before this one. */
static __device__ __forceinline__ unsigned sino_radix_before_lane(unsigned mine)
{
    const unsigned lane = threadIdx.x % SINO_RADIX_WARP;
    unsigned sum = mine;
#pragma unroll
    for (unsigned by = 1; by < SINO_RADIX_WARP; by *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, by);
        sum += lane >= by ? other : 0;
    }
    return sum - mine;
}

/* Counts the digits of a warp, whose threads have `each` elements. place: of each, how many of the warp's before it
 * have its digit. */
template <int EACH, class Digit>
static __device__ __forceinline__ void sino_radix_count(int each, const Digit &digit_of, SinoRadixCounts *counts,
                                                        int (&place)[EACH])
{
    const int lane = static_cast<int>(threadIdx.x) % SINO_RADIX_WARP;
    reinterpret_cast<uint4 *>(counts->of)[lane] = uint4{0, 0, 0, 0};
    __syncwarp();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (e >= each) break;
        uint16_t *const count = &counts->of[digit_of(e)];
        const unsigned peers = sino_radix_peers(digit_of(e)), before = peers & ((1u << lane) - 1);
        const int counted = *count;
        __syncwarp();
        if (before == 0) *count = static_cast<uint16_t>(counted + __popc(peers));
        __syncwarp();
        place[e] = counted + __popc(before);
    }
}

/* The first warp turns the counts of `warps` warps to places: all of a digit are before those of the next one. A word
 * holds two digits. */
static __device__ __forceinline__ void sino_radix_scan(int warps, SinoRadixCounts *counts)
{
    enum { WORDS = SINO_RADIX_OF_LANE / 2 };
    const int lane = static_cast<int>(threadIdx.x);
    unsigned sum[WORDS] = {}, all = 0;
#pragma unroll 2
    for (int w = 0; w < warps; w++) {
        const uint4 count = reinterpret_cast<const uint4 *>(counts[w].of)[lane];
        sum[0] += count.x, sum[1] += count.y, sum[2] += count.z, sum[3] += count.w;
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) all += (sum[i] & 0xffff) + (sum[i] >> 16);
    unsigned first = sino_radix_before_lane(all), place[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        place[i] = first | (first + (sum[i] & 0xffff)) << 16;
        first += (sum[i] & 0xffff) + (sum[i] >> 16);
    }
#pragma unroll 2
    for (int w = 0; w < warps; w++) {
        uint4 *const at = &reinterpret_cast<uint4 *>(counts[w].of)[lane];
        const uint4 count = *at;
        *at = uint4{place[0], place[1], place[2], place[3]};
        place[0] += count.x, place[1] += count.y, place[2] += count.z, place[3] += count.w;
    }
}

/* place: where each of the block's elements, fewer than 2¹⁶, is in the order of digits. each: elements of this warp's
 * threads, EACH but for the last warps. counts: of each warp; when it
 * returns, those of the first warp are the places where digits begin. */
template <int EACH, class Digit>
static __device__ __forceinline__ void sino_radix_rank(int each, const Digit &digit_of, SinoRadixCounts *counts,
                                                       int (&place)[EACH])
{
    const int warp = static_cast<int>(threadIdx.x) / SINO_RADIX_WARP;
    sino_radix_count(each, digit_of, &counts[warp], place);
    __syncthreads();
    if (warp == 0) sino_radix_scan(static_cast<int>(blockDim.x) / SINO_RADIX_WARP, counts);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < each) place[e] += counts[warp].of[digit_of(e)];
}

static __device__ __forceinline__ unsigned sino_radix_digit(SinoElement element, int bit)
{
    return static_cast<unsigned>(element >> bit) % SINO_RADIX_DIGITS;
}

/* start: where the elements of each digit begin. */
static __device__ __forceinline__ void sino_radix_find_starts(int count, int bit, const SinoElement *elements,
                                                              int *start)
{
    const int me = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int d = me; d < SINO_RADIX_DIGITS; d += threads) start[d] = 0;
    __syncthreads();
    for (int i = me; i < count; i += threads) atomicAdd(&start[sino_radix_digit(elements[i], bit)], 1);
    __syncthreads();
    if (me < SINO_RADIX_WARP) {
        int *const mine = start + me * SINO_RADIX_OF_LANE, sum = 0;
        for (int d = 0; d < SINO_RADIX_OF_LANE; d++) sum += mine[d];
        int first = static_cast<int>(sino_radix_before_lane(static_cast<unsigned>(sum)));
        for (int d = 0; d < SINO_RADIX_OF_LANE; d++) {
            const int next = first + mine[d];
            mine[d] = first;
            first = next;
        }
    }
    __syncthreads();
}

/* Moves the elements that the block's threads hold at a time, from number `first` on, and `start` behind them. */
static __device__ __forceinline__ void sino_radix_move(int count, int first, int bit, const SinoElement *from,
                                                       SinoElement *to, SinoRadixCounts *counts, int *start)
{
    enum { EACH = SINO_RADIX_EACH };
    const int me = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int mine = first + sino_radix_index<EACH>(0), left = count - (mine - me % SINO_RADIX_WARP);
    const int each = max(0, min(int(EACH), (left + SINO_RADIX_WARP - 1) / SINO_RADIX_WARP));
    SinoElement element[EACH];
    int place[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int i = mine + e * SINO_RADIX_WARP;
        element[e] = i < count ? from[i] : ~SinoElement(0); /* behind all others, and not moved */
    }
    const auto digit_of = [&](int e) { return sino_radix_digit(element[e], bit); };
    sino_radix_rank(each, digit_of, counts, place);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (mine + e * SINO_RADIX_WARP < count)
            to[start[digit_of(e)] + place[e] - counts[0].of[digit_of(e)]] = element[e];
    __syncthreads();
    for (int d = me; d < SINO_RADIX_DIGITS; d += threads)
        start[d] += (d + 1 < SINO_RADIX_DIGITS ? counts[0].of[d + 1] : EACH * threads) - counts[0].of[d];
    __syncthreads();
}

/* Sorts elements in the device's memory, which all threads of the block see, by their bits from FIRST_BIT on: 0, 16, 32
 * or 48. `other` has room for as many. */
template <int THREADS, int FIRST_BIT>
static __device__ __forceinline__ void sino_radix_sort(int count, SinoElement *elements, SinoElement *other)
{
    SINO_SHARED(SinoRadixCounts, counts, THREADS / SINO_RADIX_WARP);
    SINO_SHARED(int, start, SINO_RADIX_DIGITS);
    SinoElement *from = elements, *to = other;
#pragma unroll 1
    for (int bit = FIRST_BIT; bit < 64; bit += 8) {
        sino_radix_find_starts(count, bit, from, start);
        for (int first = 0; first < count; first += THREADS * SINO_RADIX_EACH)
            sino_radix_move(count, first, bit, from, to, counts, start);
        SinoElement *const sorted = to;
        to = from;
        from = sorted;
    }
}
