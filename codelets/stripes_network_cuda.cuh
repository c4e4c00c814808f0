/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: a block sorts elements, in shared memory or in its part of the device's memory, by a bitonic
 * network. A thread takes up to eight elements at a time to registers, which are three steps of the network between two
 * barriers. */
#ifndef SINO_STRIPES_NETWORK_CUDA_CUH
#define SINO_STRIPES_NETWORK_CUDA_CUH

#include "simt.h"

typedef unsigned long long SinoElement;

enum { SINO_NETWORK_EACH = 8 /* elements that a thread takes at a time */ };

/* Where element i lies, so that neighbouring threads find theirs in different banks at strides of 1 and of 8. */
static __device__ __forceinline__ int sino_network_slot(int i)
{
    return i ^ ((i >> 4) & 15) ^ ((i >> 3) & 8);
}

/* Merges to runs of `run` of the COUNT elements that a thread holds. Every second run descends; of runs that are as
 * long as what the thread holds `outer` tells it. */
template <int COUNT>
static __device__ __forceinline__ void sino_network_merge_held(SinoElement (&held)[COUNT], int run, bool outer)
{
#pragma unroll
    for (int half = run / 2; half >= 1; half /= 2)
#pragma unroll
        for (int pair = 0; pair < COUNT / 2; pair++) {
            const int r = pair / half * 2 * half + pair % half;
            const bool descending = run < COUNT ? (r & run) != 0 : outer;
            const SinoElement low = held[r], high = held[r + half];
            const bool swapped = (low > high) != descending;
            held[r] = swapped ? high : low;
            held[r + half] = swapped ? low : high;
        }
}

/* STEPS steps of the merge to runs of 2^run elements, the last one of pairs 2^lowest apart. */
template <int STEPS>
static __device__ __forceinline__ void sino_network_merge_steps(int count, int run, int lowest, SinoElement *elements)
{
    for (int i = static_cast<int>(threadIdx.x); i < count >> STEPS; i += static_cast<int>(blockDim.x)) {
        const int first = (i >> lowest) << (lowest + STEPS) | (i & ((1 << lowest) - 1));
        SinoElement held[1 << STEPS];
#pragma unroll
        for (int r = 0; r < 1 << STEPS; r++) held[r] = elements[sino_network_slot(first + (r << lowest))];
        sino_network_merge_held(held, 1 << STEPS, (first >> run & 1) != 0);
#pragma unroll
        for (int r = 0; r < 1 << STEPS; r++) elements[sino_network_slot(first + (r << lowest))] = held[r];
    }
    __syncthreads();
}

/* The merges to runs of 2, 4 and 8. */
static __device__ __forceinline__ void sino_network_sort_eights(int count, SinoElement *elements)
{
    for (int i = static_cast<int>(threadIdx.x); i < count / SINO_NETWORK_EACH; i += static_cast<int>(blockDim.x)) {
        SinoElement held[SINO_NETWORK_EACH];
#pragma unroll
        for (int r = 0; r < SINO_NETWORK_EACH; r++) held[r] = elements[sino_network_slot(SINO_NETWORK_EACH * i + r)];
#pragma unroll
        for (int run = 2; run <= SINO_NETWORK_EACH; run *= 2) sino_network_merge_held(held, run, (i & 1) != 0);
#pragma unroll
        for (int r = 0; r < SINO_NETWORK_EACH; r++) elements[sino_network_slot(SINO_NETWORK_EACH * i + r)] = held[r];
    }
    __syncthreads();
}

/* Sorts `count` elements, a power of two of at least SINO_NETWORK_EACH. */
static __device__ __forceinline__ void sino_network_sort(int count, SinoElement *elements)
{
    sino_network_sort_eights(count, elements);
    for (int run = 4; 1 << run <= count; run++) {
        int lowest = run - run % 3;
        if (run % 3 == 2)
            sino_network_merge_steps<2>(count, run, lowest, elements);
        else if (run % 3 == 1)
            sino_network_merge_steps<1>(count, run, lowest, elements);
        while (lowest > 0) {
            lowest -= 3;
            sino_network_merge_steps<3>(count, run, lowest, elements);
        }
    }
}

#endif
