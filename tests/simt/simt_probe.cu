/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT probe: small kernels that show what the wrappers of codelets/devices/simt.h do. */
#include "simt.h"

extern "C" {
#include "simt_probe.h"
}

static SinoLaunch one_warp(const char *name)
{
    return {name, 1, 32, 0, NULL};
}

static __global__ void sum_kernel(const int *value, int *sum, int *total)
{
    SINO_SHARED(int, part, PROBE_THREADS);
    const int me = static_cast<int>(threadIdx.x);
    part[me] = value[blockIdx.x * PROBE_THREADS + threadIdx.x];
    for (int count = PROBE_THREADS; count > 1; count = (count + 1) / 2) {
        __syncthreads();
        const int half = (count + 1) / 2;
        if (me < count / 2) part[me] += part[me + half];
    }
    __syncthreads();
    if (me != PROBE_THREADS - 1) return;
    sum[blockIdx.x] = part[0];
    atomicAdd(total, part[0]);
}

SinoStatus probe_sum(int blocks, const int *value, int *sum, int *total)
{
    const SinoLaunch at = {"sum", static_cast<unsigned>(blocks), PROBE_THREADS, 0, NULL};
    return sino_launch(at, sum_kernel, value, sum, total);
}

static __global__ void shuffle_kernel(const int *value, int *result)
{
    const unsigned all = 0xffffffffu;
    const int mine = value[threadIdx.x];
    result[threadIdx.x] = __shfl_sync(all, mine, 3, 8);
    result[32 + threadIdx.x] = __shfl_xor_sync(all, mine, 5);
    result[64 + threadIdx.x] = __shfl_down_sync(all, mine, 3, 16);
    result[96 + threadIdx.x] = __shfl_up_sync(all, mine, 2);
    result[128 + threadIdx.x] = static_cast<int>(__ballot_sync(all, mine % 2));
}

SinoStatus probe_shuffle(const int *value, int *result)
{
    return sino_launch(one_warp("shuffle"), shuffle_kernel, value, result);
}

static __global__ void ldmatrix_kernel(const uint16_t *matrix, bool transposed, bool by_shuffles, uint32_t *fragment)
{
    SINO_SHARED(uint4, row, 32); /* 8 halves each */
    row[threadIdx.x] = reinterpret_cast<const uint4 *>(matrix)[threadIdx.x];
    __syncthreads();
    unsigned mine[4];
    if (by_shuffles && transposed)
        sino_ldmatrix_by_shuffles<true>(mine, &row[threadIdx.x]);
    else if (by_shuffles)
        sino_ldmatrix_by_shuffles<false>(mine, &row[threadIdx.x]);
    else if (transposed)
        sino_ldmatrix_x4_trans(mine, &row[threadIdx.x]);
    else
        sino_ldmatrix_x4(mine, &row[threadIdx.x]);
    for (int m = 0; m < 4; m++) fragment[4 * threadIdx.x + static_cast<unsigned>(m)] = mine[m];
}

SinoStatus probe_ldmatrix(const uint16_t *matrix, bool transposed, bool by_shuffles, uint32_t *fragment)
{
    return sino_launch(one_warp("ldmatrix"), ldmatrix_kernel, matrix, transposed, by_shuffles, fragment);
}

static __device__ unsigned pair_of(const uint16_t *low, const uint16_t *high)
{
    return *low | static_cast<unsigned>(*high) << 16;
}

static __global__ void mma_kernel(const uint16_t *a, const uint16_t *b, bool by_shuffles, float *c)
{
    const int group = static_cast<int>(threadIdx.x) / 4, column = static_cast<int>(threadIdx.x) % 4 * 2;
    unsigned of_a[4], of_b[2];
    float of_c[4];
    for (int i = 0; i < 4; i++) {
        const uint16_t *const at = a + (group + 8 * (i % 2)) * 16 + column + 8 * (i / 2);
        of_a[i] = pair_of(at, at + 1);
        of_c[i] = c[(group + 8 * (i / 2)) * 8 + column + i % 2];
    }
    for (int i = 0; i < 2; i++) {
        const uint16_t *const at = b + (column + 8 * i) * 8 + group;
        of_b[i] = pair_of(at, at + 8);
    }
    if (by_shuffles)
        sino_mma_16816_by_shuffles(of_c, of_a, of_b);
    else
        sino_mma_16816(of_c, of_a, of_b);
    for (int i = 0; i < 4; i++) c[(group + 8 * (i / 2)) * 8 + column + i % 2] = of_c[i];
}

SinoStatus probe_mma(const uint16_t *a, const uint16_t *b, bool by_shuffles, float *c)
{
    return sino_launch(one_warp("mma"), mma_kernel, a, b, by_shuffles, c);
}

static __global__ void copy_kernel(int tiles, const float *from, float *to)
{
    SINO_SHARED_DYNAMIC(memory);
    float *const stage = reinterpret_cast<float *>(memory);
    const int me = static_cast<int>(threadIdx.x), count = 4 * PROBE_THREADS;
    sino_copy_async_16(stage + 4 * me, from + 4 * me);
    sino_copy_async_commit();
    for (int tile = 0; tile < tiles; tile++) {
        const int next = tile + 1;
        if (next < tiles) sino_copy_async_16(stage + next % 2 * count + 4 * me, from + next * count + 4 * me);
        sino_copy_async_commit();
        sino_copy_async_wait<1>();
        __syncthreads();
        for (int i = me; i < count; i += PROBE_THREADS) to[tile * count + i] = stage[tile % 2 * count + count - 1 - i];
        __syncthreads();
    }
    sino_copy_async_wait<0>();
}

SinoStatus probe_copy(int tiles, const float *from, float *to)
{
    const SinoLaunch at = {"copy", 1, PROBE_THREADS, 2 * 4 * PROBE_THREADS * sizeof(float), NULL};
    return sino_launch(at, copy_kernel, tiles, from, to);
}

static __global__ void half_kernel(int count, const float *from, uint16_t *to, float *back)
{
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        const __half2 pair = __floats2half2_rn(from[i], 2 * from[i]);
        to[i] = __half_as_ushort(__float2half_rn(from[i]));
        back[i] = __high2float(pair) - __half22float2(pair).x;
    }
}

SinoStatus probe_half(int count, const float *from, uint16_t *to, float *back)
{
    return sino_launch(one_warp("half"), half_kernel, count, from, to, back);
}

#ifdef SINO_SIMT_HOST

static __global__ void fault_kernel(ProbeFault fault, float *memory)
{
    SINO_SHARED_DYNAMIC(shared);
    float *const of_block = reinterpret_cast<float *>(shared);
    const bool odd = threadIdx.x % 2;
    switch (fault) {
    case PROBE_MISSED_BARRIER:
        if (odd) __syncthreads();
        break;
    case PROBE_OTHER_BARRIER:
        if (odd)
            __syncthreads();
        else
            __syncthreads();
        break;
    case PROBE_MISSED_SHUFFLE:
        if (odd) memory[threadIdx.x] = __shfl_xor_sync(0xffffffffu, memory[threadIdx.x], 2);
        break;
    case PROBE_SHARED_OVERRUN:
        of_block[threadIdx.x + 1] = 0;
        break;
    case PROBE_SHARED_TOO_MUCH:
        break;
    case PROBE_UNWAITED_COPY:
        if (threadIdx.x < 8) sino_copy_async_16(of_block + 4 * threadIdx.x, memory + 4 * threadIdx.x);
        break;
    }
}

SinoStatus probe_fault(ProbeFault fault, float *memory)
{
    const size_t bytes = fault == PROBE_SHARED_TOO_MUCH ? 1 << 20 : 32 * sizeof(float);
    const SinoLaunch at = {"fault", 1, 32, bytes, NULL};
    return sino_launch(at, fault_kernel, fault, memory);
}

static __global__ void race_kernel(int *value)
{
    SINO_SHARED(int, shared, 33);
    if (threadIdx.x == 0) shared[0] = 0;
    shared[threadIdx.x + 1] = shared[threadIdx.x] + 1;
    value[threadIdx.x] = shared[threadIdx.x + 1];
}

SinoStatus probe_race(int *value)
{
    return sino_launch(one_warp("race"), race_kernel, value);
}

#endif
