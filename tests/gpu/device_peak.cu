/* SPDX-License-Identifier: BSD-3-Clause */
/* Device peak: what the current GPU does at best. Results are written where the compiler cannot know they are not
 * wanted. */
#include "simt.h"

extern "C" {
#include "device_peak.h"
}

enum { THREADS = 256, CHAINS = 8, ROUNDS = 4096, REPETITIONS = 5 };

#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        SINO_CHECK(error_ == cudaSuccess, SINO_FAILED, "%s: %s", #call, cudaGetErrorString(error_));                   \
    } while (0)

template <class Real> static __global__ void __launch_bounds__(THREADS) multiply_add(Real factor, Real *out)
{
    Real sum[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) sum[i] = static_cast<Real>(threadIdx.x + i);
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++) sum[i] = sum[i] * factor + factor;
    for (int i = 1; i < CHAINS; i++) sum[0] += sum[i];
    if (sum[0] == static_cast<Real>(-1)) *out = sum[0];
}

static __global__ void __launch_bounds__(THREADS) multiply_matrices(unsigned bits, float *out)
{
    float sum[CHAINS][4] = {};
    const unsigned a[4] = {bits, bits, bits, bits}, b[2] = {bits, bits};
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++) sino_mma_16816(sum[i], a, b);
    float all = 0;
    for (int i = 0; i < CHAINS; i++) all += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
    if (all == -1) *out = all;
}

/* The shortest of some repetitions of what `run` puts into the stream, in seconds. */
template <class Run> static SinoStatus shortest(Run run, double *seconds)
{
    cudaEvent_t begin, end;
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    *seconds = 1e30;
    for (int i = 0; i < REPETITIONS; i++) {
        float milliseconds;
        CUDA_TRY(cudaEventRecord(begin, NULL));
        SINO_TRY(run());
        CUDA_TRY(cudaEventRecord(end, NULL));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
        if (milliseconds / 1e3 < *seconds) *seconds = milliseconds / 1e3;
    }
    CUDA_TRY(cudaEventDestroy(begin));
    CUDA_TRY(cudaEventDestroy(end));
    return NULL;
}

static SinoStatus block_count(unsigned *blocks)
{
    int device, processors;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    *blocks = 32 * static_cast<unsigned>(processors);
    return NULL;
}

extern "C" SinoStatus device_peak_multiply_add(int is_double, double *flops_per_second)
{
    unsigned blocks;
    double seconds;
    SINO_TRY(block_count(&blocks));
    const SinoLaunch at = {"multiply_add", blocks, THREADS, 0, NULL};
    if (is_double)
        SINO_TRY(shortest([&] { return sino_launch(at, multiply_add<double>, 0.5, static_cast<double *>(NULL)); },
                          &seconds));
    else
        SINO_TRY(
            shortest([&] { return sino_launch(at, multiply_add<float>, 0.5f, static_cast<float *>(NULL)); }, &seconds));
    *flops_per_second = 2.0 * blocks * THREADS * CHAINS * ROUNDS / seconds;
    return NULL;
}

extern "C" SinoStatus device_peak_tensor(double *flops_per_second)
{
    unsigned blocks;
    double seconds;
    SINO_TRY(block_count(&blocks));
    const SinoLaunch at = {"multiply_matrices", blocks, THREADS, 0, NULL};
    SINO_TRY(shortest([&] { return sino_launch(at, multiply_matrices, 0x38003800u, static_cast<float *>(NULL)); },
                      &seconds));
    *flops_per_second = 2.0 * 16 * 8 * 16 * blocks * (THREADS / 32.0) * CHAINS * ROUNDS / seconds;
    return NULL;
}

extern "C" SinoStatus device_peak_copy(int64_t bytes, double *bytes_per_second)
{
    void *from = NULL, *to = NULL;
    double seconds;
    CUDA_TRY(cudaMalloc(&from, static_cast<size_t>(bytes)));
    CUDA_TRY(cudaMalloc(&to, static_cast<size_t>(bytes)));
    SINO_TRY(shortest(
        [&]() -> SinoStatus {
            CUDA_TRY(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, NULL));
            return NULL;
        },
        &seconds));
    CUDA_TRY(cudaFree(from));
    CUDA_TRY(cudaFree(to));
    *bytes_per_second = 2.0 * static_cast<double>(bytes) / seconds;
    return NULL;
}
