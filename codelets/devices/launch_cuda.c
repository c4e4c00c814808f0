/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of CUDA kernels: errors of earlier calls, and shared memory above 48 KiB, which a kernel has to ask for. */
#include "launch_cuda.h"

#include <stdint.h>

/* Every launch asks for the same limit: by limits of their own two threads of one GPU could undo each other's request
 * before the launch. */
static cudaError_t allow(const void *kernel, size_t static_bytes)
{
    int device, most;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most - (int)static_bytes);
}

cudaError_t sino_launch_prepare(const void *kernel, size_t shared_bytes)
{
    struct cudaFuncAttributes of;
    (void)cudaGetLastError();
    if (shared_bytes <= (size_t)48 << 10) return cudaSuccess;
    const cudaError_t error = cudaFuncGetAttributes(&of, kernel);
    if (error != cudaSuccess || (int64_t)shared_bytes <= of.maxDynamicSharedSizeBytes) return error;
    return allow(kernel, of.sharedSizeBytes);
}
