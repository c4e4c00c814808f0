/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: the first GPU, with managed memory. */
#include "simt.h"

#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "device.h"
}

void *device_memory(size_t bytes)
{
    void *memory = NULL;
    const cudaError_t error = cudaMallocManaged(&memory, bytes > 0 ? bytes : 1);
    if (error != cudaSuccess) {
        fprintf(stderr, "%llu bytes of managed memory: %s\n", static_cast<unsigned long long>(bytes),
                cudaGetErrorString(error));
        abort();
    }
    memset(memory, 0, bytes);
    return memory;
}

void device_free(void *memory)
{
    if (cudaFree(memory) != cudaSuccess) abort();
}

SinoStatus device_wait(void)
{
    const cudaError_t error = cudaDeviceSynchronize();
    SINO_CHECK(error == cudaSuccess, SINO_FAILED, "the device: %s", cudaGetErrorString(error));
    return NULL;
}

void device_needed(void)
{
    const int skipped = 77;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return;
    printf("skipped: no GPU (%s)\n", cudaGetErrorString(error));
    exit(skipped);
}

/* The tests of the CPU's functions do not ask. */
__attribute__((constructor)) static void look_first(void)
{
    device_needed();
}
