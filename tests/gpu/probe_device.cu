/* SPDX-License-Identifier: BSD-3-Clause */
/* Probe device: kernels by which the probe looks at what CUDA does beside them. */
#include "simt.h"

extern "C" {
#include "probe_device.h"
}

enum { THREADS = 256 };

static __global__ void wait_kernel(int64_t ticks)
{
    for (const int64_t end = clock64() + ticks; clock64() < end;) {
    }
}

static __global__ void __launch_bounds__(THREADS)
    count_kernel(const int32_t *values, int64_t count, int32_t expected, int *others)
{
    for (int64_t i = threadIdx.x; i < count; i += THREADS)
        if (values[i] != expected) atomicAdd(others, 1);
}

static __global__ void add_kernel(float value, float *sum)
{
    atomicAdd(sum, value);
}

extern "C" SinoStatus probe_device_wait(cudaStream_t stream, int64_t ticks)
{
    return sino_launch({"wait", 1, 1, 0, stream}, wait_kernel, ticks);
}

extern "C" SinoStatus probe_device_count(cudaStream_t stream, const int32_t *values, int64_t count, int32_t expected,
                                         int *others)
{
    return sino_launch({"count", 1, THREADS, 0, stream}, count_kernel, values, count, expected, others);
}

extern "C" SinoStatus probe_device_add(cudaStream_t stream, float value, float *sum)
{
    return sino_launch({"add", 1, 1, 0, stream}, add_kernel, value, sum);
}
