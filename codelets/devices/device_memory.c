/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of CUDA devices: the calls of CUDA's runtime, for plans and for arrays of libsinodag's callers. */
#include "device_memory.h"

#ifdef SINO_CUDA
#include <cuda_runtime_api.h>

static SinoStatus fail(const char *what, cudaError_t error)
{
    return sino_error(SINO_FAILED, "%s on a CUDA device: %s", what, cudaGetErrorString(error));
}

#define TRY_CUDA(what, call)                                                                                           \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) return fail(what, error_);                                                          \
    } while (0)

bool sino_device_memory_left(int device, int64_t *bytes)
{
    int before;
    size_t left = 0, all = 0;
    bool found = cudaGetDevice(&before) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
    if (found) {
        found = cudaMemGetInfo(&left, &all) == cudaSuccess;
        (void)cudaSetDevice(before);
    }
    (void)cudaGetLastError(); /* that there is no such device is no error of a later call */
    if (found) *bytes = (int64_t)left;
    return found;
}

double sino_device_memory_gbps(int device)
{
    int clock_khz = 0, width_bits = 0; /* two transfers a cycle */
    const bool found = cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
                       cudaDeviceGetAttribute(&width_bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess;
    (void)cudaGetLastError();
    return found ? 2e-6 * (double)clock_khz * (double)width_bits / 8 : 0;
}

SinoStatus sino_device_memory_find(const char *what, const void *address, int *device)
{
    struct cudaPointerAttributes found;
    TRY_CUDA(what, cudaPointerGetAttributes(&found, address));
    SINO_CHECK(found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged, SINO_BAD_INPUT,
               "%s are said to lie on a CUDA device, which has nothing at their address; allowed: memory of a device",
               what);
    *device = found.device;
    return NULL;
}

SinoStatus sino_device_memory_enter(const char *what, int device, int *before)
{
    TRY_CUDA(what, cudaGetDevice(before));
    TRY_CUDA(what, cudaSetDevice(device));
    const cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) return NULL;
    (void)cudaSetDevice(*before);
    return fail(what, error);
}

SinoStatus sino_device_memory_leave(const char *what, int before)
{
    const cudaError_t copied = cudaStreamSynchronize(cudaStreamLegacy);
    TRY_CUDA(what, cudaSetDevice(before));
    TRY_CUDA(what, copied);
    return NULL;
}

SinoStatus sino_device_memory_copy(const char *what, const SinoDeviceRectangle *rectangle)
{
    const bool in = rectangle->to_device;
    const enum cudaMemcpyKind kind = in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const size_t row = (size_t)rectangle->row_bytes, pitch = (size_t)rectangle->pitch;
    char *to = in ? rectangle->device : rectangle->host;
    const char *from = in ? rectangle->host : rectangle->device;
    if (rectangle->row_count == 1)
        TRY_CUDA(what, cudaMemcpyAsync(to, from, row, kind, cudaStreamLegacy));
    else
        TRY_CUDA(what, cudaMemcpy2DAsync(to, in ? pitch : row, from, in ? row : pitch, row,
                                         (size_t)rectangle->row_count, kind, cudaStreamLegacy));
    return NULL;
}

#else

static SinoStatus refuse(const char *what)
{
    return sino_error(SINO_BAD_INPUT,
                      "%s lie on a CUDA device, and this sinodag was built without CUDA; allowed: main memory", what);
}

bool sino_device_memory_left(int device, int64_t *bytes)
{
    (void)device;
    (void)bytes;
    return false;
}

double sino_device_memory_gbps(int device)
{
    (void)device;
    return 0;
}

SinoStatus sino_device_memory_find(const char *what, const void *address, int *device)
{
    (void)address;
    (void)device;
    return refuse(what);
}

SinoStatus sino_device_memory_enter(const char *what, int device, int *before)
{
    (void)device;
    (void)before;
    return refuse(what);
}

SinoStatus sino_device_memory_leave(const char *what, int before)
{
    (void)before;
    return refuse(what);
}

SinoStatus sino_device_memory_copy(const char *what, const SinoDeviceRectangle *rectangle)
{
    (void)rectangle;
    return refuse(what);
}

#endif
