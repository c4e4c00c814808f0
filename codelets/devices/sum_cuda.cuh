/* SPDX-License-Identifier: BSD-3-Clause */
/* Sum, for CUDA kernels: prefix sums over the threads of a block, which tell each thread where to write. */
#pragma once

#include "simt.h"

/* The sum of the values of all threads before this one. *total becomes the sum over all WARPS · 32 threads. `warp_sum`
 * is a shared array of WARPS elements. All threads of the block call this together. */
template <int WARPS> static __device__ int sino_sum_before(int value, int *warp_sum, int *total)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    int sum = value, before = 0, all = 0;
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(by));
        if (lane >= by) sum += other;
    }
    if (lane == 31) warp_sum[warp] = sum;
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += warp_sum[w];
        all += warp_sum[w];
    }
    __syncthreads();
    *total = all;
    return before + sum - value;
}
