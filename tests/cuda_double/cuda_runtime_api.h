/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of CUDA's runtime that codelets/devices/device_memory.c and launch_cuda.c make, as cuda_double.c plays them
 * on the host. Two devices have memory that nothing but the copies of these functions may touch; copies are made when
 * their stream is waited for. Kernels are addresses. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101
} cudaError_t;
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr {
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int maxDynamicSharedSizeBytes;
};
typedef struct CUstream_st *cudaStream_t;
#define cudaStreamLegacy ((cudaStream_t)0x1)

/* Names of its own, so that a program may have CUDA's runtime, too. */
#define cudaPointerGetAttributes sino_double_attributes
#define cudaGetErrorString       sino_double_error
#define cudaGetDevice            sino_double_get_device
#define cudaSetDevice            sino_double_set_device
#define cudaDeviceSynchronize    sino_double_device_synchronize
#define cudaStreamSynchronize    sino_double_stream_synchronize
#define cudaMemcpyAsync          sino_double_copy
#define cudaMemcpy2DAsync        sino_double_copy_2d
#define cudaMemGetInfo           sino_double_memory
#define cudaGetLastError         sino_double_last_error
#define cudaDeviceGetAttribute   sino_double_device_attribute
#define cudaFuncGetAttributes    sino_double_kernel_attributes
#define cudaFuncSetAttribute     sino_double_set_kernel_attribute

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                              size_t row_count, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaGetLastError(void);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);

/* Of a device's memory. */
enum { SINO_DOUBLE_CLOCK_KHZ = 2500000, SINO_DOUBLE_BUS_BITS = 4096 };

/* A device's memory, and the shared memory of a block: of all kernels, and what each has by its source. */
enum { SINO_DOUBLE_MEMORY_MIB = 1024, SINO_DOUBLE_SHARED_BYTES = 227 << 10, SINO_DOUBLE_STATIC_BYTES = 1 << 10 };

/* For tests. Memory of a device (0 or 1), zeroed; NULL: there is none. */
void *sino_double_allocate(int device, int64_t bytes);
void sino_double_free(void *memory); /* the start of an allocation */

/* Whole elements between an allocation and the host, at once. 0: they are not in it. */
int sino_double_write(void *device, const void *host, int64_t bytes);
int sino_double_read(void *host, const void *device, int64_t bytes);

/* Work of a caller in some stream of the device that is current: a write that happens once the device is waited for. */
int sino_double_write_later(void *device, const void *host, int64_t bytes);

/* Call number `call` from now on, 1 the next one, fails; 0: none. Calls since then. */
void sino_double_fail_at(int64_t call);
int64_t sino_double_calls(void);
int64_t sino_double_rectangles(void); /* copies since then */
