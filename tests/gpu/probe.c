/* SPDX-License-Identifier: BSD-3-Clause */
/* Probe: what the first GPU does at best, and what CUDA does where kernels and StarPU rely on it; a row of a table
 * each. */
#include "device_peak.h"
#include "memory.h"
#include "platform.h"
#include "probe_device.h"

#include <cuda_runtime_api.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 5, SKIPPED = 77 };

static const size_t copied_bytes = (size_t)1 << 30;

#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        SINO_CHECK(error_ == cudaSuccess, SINO_FAILED, "%s: %s", #call, cudaGetErrorString(error_));                   \
    } while (0)

static SinoStatus tell_device(void)
{
    struct cudaDeviceProp of;
    const double begin = sino_platform_now_s();
    CUDA_TRY(cudaFree(NULL));
    printf("| probe | first call of CUDA | %.2f s |\n", sino_platform_now_s() - begin);
    CUDA_TRY(cudaGetDeviceProperties(&of, 0));
    printf("| probe | %s, sm_%d%d | %d multiprocessors, L2 of %d MiB, %d KiB of shared memory for a block |\n", of.name,
           of.major, of.minor, of.multiProcessorCount, of.l2CacheSize >> 20, (int)(of.sharedMemPerBlockOptin >> 10));
    return NULL;
}

static SinoStatus tell_peaks(void)
{
    double single, twice, tensor, copy;
    SINO_TRY(device_peak_copy((int64_t)copied_bytes, &copy));
    SINO_TRY(device_peak_multiply_add(0, &single));
    SINO_TRY(device_peak_multiply_add(1, &twice));
    SINO_TRY(device_peak_tensor(&tensor));
    printf("| probe | copies within the device, bytes read and written | %.2f TB/s |\n", copy / 1e12);
    printf("| probe | multiply-adds in single, in double | %.1f, %.1f TFLOP/s |\n", single / 1e12, twice / 1e12);
    printf("| probe | tensor cores, mma.m16n8k16 of halves | %.0f TFLOP/s |\n", tensor / 1e12);
    return NULL;
}

static SinoStatus tell_launches(void)
{
    enum { LAUNCHES = 1000 };
    double best = INFINITY;
    for (int i = 0; i <= REPETITIONS; i++) {
        const double begin = sino_platform_now_s();
        for (int k = 0; k < LAUNCHES; k++) SINO_TRY(probe_device_wait(NULL, 0));
        CUDA_TRY(cudaDeviceSynchronize());
        best = fmin(best, sino_platform_now_s() - begin);
    }
    printf("| probe | a launch, of %d in a row | %.2f us |\n", LAUNCHES, best / LAUNCHES * 1e6);
    return NULL;
}

/* GB/s of the fastest copy, after one that does not count. */
static SinoStatus copy_rate(void *to, const void *from, enum cudaMemcpyKind kind, double *rate)
{
    *rate = 0;
    for (int i = 0; i <= REPETITIONS; i++) {
        const double begin = sino_platform_now_s();
        CUDA_TRY(cudaMemcpy(to, from, copied_bytes, kind));
        if (i > 0) *rate = fmax(*rate, (double)copied_bytes / 1e9 / (sino_platform_now_s() - begin));
    }
    return NULL;
}

static SinoStatus tell_pinned(void *device, char *host)
{
    double to_device, to_host, begin = sino_platform_now_s();
    CUDA_TRY(cudaHostRegister(host, copied_bytes, cudaHostRegisterPortable));
    printf("| probe | cudaHostRegister, of touched pages | %.1f GB/s |\n",
           (double)copied_bytes / 1e9 / (sino_platform_now_s() - begin));
    SINO_TRY(copy_rate(device, host, cudaMemcpyHostToDevice, &to_device));
    SINO_TRY(copy_rate(host, device, cudaMemcpyDeviceToHost, &to_host));
    printf("| probe | pinned memory, to the device, to the host | %.1f, %.1f GB/s |\n", to_device, to_host);
    begin = sino_platform_now_s();
    CUDA_TRY(cudaHostUnregister(host));
    printf("| probe | cudaHostUnregister | %.1f GB/s |\n",
           (double)copied_bytes / 1e9 / (sino_platform_now_s() - begin));
    return NULL;
}

static SinoStatus tell_transfers(void)
{
    double begin = sino_platform_now_s(), pageable;
    void *device;
    char *host;
    CUDA_TRY(cudaMalloc(&device, copied_bytes));
    printf("| probe | cudaMalloc of 1 GiB | %.2f ms |\n", (sino_platform_now_s() - begin) * 1e3);
    SINO_TRY(sino_allocate((int64_t)copied_bytes, 1, "memory of the host", &host));
    memset(host, 1, copied_bytes);
    SINO_TRY(copy_rate(device, host, cudaMemcpyHostToDevice, &pageable));
    printf("| probe | pageable memory, to the device | %.1f GB/s |\n", pageable);
    SINO_TRY(tell_pinned(device, host));
    free(host);
    CUDA_TRY(cudaFree(device));
    return NULL;
}

/* Whether a launch still succeeds after what went wrong before it. */
static void tell_launch_after(const char *what, cudaError_t before)
{
    SinoStatus status = probe_device_wait(NULL, 0);
    printf("| probe | a launch after %s: %s | %s |\n", what, cudaGetErrorString(before),
           status ? sino_status_text(status) : "succeeds");
    sino_status_free(status);
    (void)cudaGetLastError();
}

static SinoStatus tell_errors(cudaStream_t stream)
{
    const int64_t ticks = 200000000; /* a tenth of a second */
    cudaEvent_t event;
    void *none;
    CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    SINO_TRY(probe_device_wait(stream, ticks));
    CUDA_TRY(cudaEventRecord(event, stream));
    tell_launch_after("cudaEventQuery", cudaEventQuery(event));
    CUDA_TRY(cudaStreamSynchronize(stream));
    CUDA_TRY(cudaEventDestroy(event));
    tell_launch_after("cudaMalloc", cudaMalloc(&none, (size_t)1 << 45));
    return NULL;
}

enum { WORDS = 16000 /* below 64 KiB, up to which cudaMemcpy may return before the copy has arrived */ };

/* A copy from pageable memory, then a kernel in a stream that does not wait for it. */
static SinoStatus tell_late_copies(cudaStream_t stream)
{
    enum { TRIES = 2000 };
    static int32_t from[WORDS];
    int32_t *words;
    int *others, count;
    CUDA_TRY(cudaMalloc((void **)&words, sizeof from));
    CUDA_TRY(cudaMalloc((void **)&others, sizeof *others));
    CUDA_TRY(cudaMemset(others, 0, sizeof *others));
    CUDA_TRY(cudaDeviceSynchronize());
    for (int32_t round = 1; round <= TRIES; round++) {
        for (int i = 0; i < WORDS; i++) from[i] = round;
        CUDA_TRY(cudaMemcpy(words, from, sizeof from, cudaMemcpyHostToDevice));
        SINO_TRY(probe_device_count(stream, words, WORDS, round, others));
        CUDA_TRY(cudaStreamSynchronize(stream));
    }
    CUDA_TRY(cudaMemcpy(&count, others, sizeof count, cudaMemcpyDeviceToHost));
    printf("| probe | old values seen after cudaMemcpy of pageable memory, of %d tries | %d |\n", TRIES, count);
    CUDA_TRY(cudaFree(words));
    CUDA_TRY(cudaFree(others));
    return NULL;
}

static SinoStatus tell_subnormals(void)
{
    float *sum, found;
    CUDA_TRY(cudaMalloc((void **)&sum, sizeof *sum));
    CUDA_TRY(cudaMemset(sum, 0, sizeof *sum));
    SINO_TRY(probe_device_add(NULL, 1e-40F, sum));
    CUDA_TRY(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    printf("| probe | 0 and 1e-40, added by atomicAdd | %g |\n", (double)found);
    CUDA_TRY(cudaFree(sum));
    return NULL;
}

static SinoStatus probe(void)
{
    cudaStream_t stream;
    SINO_TRY(tell_device());
    SINO_TRY(tell_peaks());
    SINO_TRY(tell_launches());
    SINO_TRY(tell_transfers());
    CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    SINO_TRY(tell_errors(stream));
    SINO_TRY(tell_late_copies(stream));
    SINO_TRY(tell_subnormals());
    CUDA_TRY(cudaStreamDestroy(stream));
    return NULL;
}

int main(void)
{
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        printf("skipped: no GPU (%s)\n", cudaGetErrorString(error));
        return SKIPPED;
    }
    SinoStatus status = probe();
    if (!status) return 0;
    fprintf(stderr, "probe: %s\n", sino_status_text(status));
    sino_status_free(status);
    return 1;
}
