/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: the first GPU, or what the host has for one (immediate_host.cpp). */
#include "simt.h"

#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "simt_device.h"
}

static void check(cudaError_t error, const char *what, size_t bytes)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s of %llu bytes of the device: %s\n", what, static_cast<unsigned long long>(bytes),
            cudaGetErrorString(error));
    abort();
}

void *device_memory(size_t bytes)
{
    void *memory = NULL;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "allocation", bytes);
    check(cudaMemset(memory, DEVICE_UNDEFINED, bytes), "filling", bytes);
    return memory;
}

void device_free(void *memory)
{
    check(cudaFree(memory), "release", 0);
}

void device_write(void *memory, const void *from, size_t bytes)
{
    check(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "copy to memory", bytes);
}

void device_read(void *to, const void *memory, size_t bytes)
{
    check(cudaMemcpy(to, memory, bytes, cudaMemcpyDeviceToHost), "copy from memory", bytes);
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
