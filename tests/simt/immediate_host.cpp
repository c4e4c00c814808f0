/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU that does everything at once, in the host's memory: for tests of kernels. */
#include "simt_host.h"

#include <stdlib.h>

const char *simt_submit(cudaStream_t, SimtWork work)
{
    return work();
}

const void *simt_host_address(const void *, size_t)
{
    return nullptr;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    if (*memory) memset(*memory, 0xff, bytes); /* NaN */
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "out of memory";
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    *value = attribute == cudaDevAttrMultiProcessorCount ? SIMT_MULTIPROCESSORS : SIMT_SHARED_BYTES;
    return cudaSuccess;
}
