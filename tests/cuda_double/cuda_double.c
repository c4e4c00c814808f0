/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's runtime as far as arrays of callers and launches need it, on the host: memory of a device is pages without
 * access, which copies open. */
#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { DEVICES = 2, ALLOCATIONS = 256, KERNELS = 16, PITCH_MAX = 2147483647 };

typedef struct Allocation {
    char *first; /* NULL: free */
    size_t bytes;
    int device;
} Allocation;

/* A copy that waits. */
typedef struct Copy {
    struct Copy *next;
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, row_bytes, row_count;
    Allocation *of;
    void *own; /* freed after the copy; NULL: none */
} Copy;

static Allocation allocations[ALLOCATIONS];
static Copy *waiting, **last = &waiting;
static int64_t calls, fails_at, rectangles;
static _Thread_local int current;
static _Thread_local cudaError_t last_error;

/* The most dynamic shared memory that a kernel may have. */
static struct {
    const void *kernel; /* NULL: free */
    int most_bytes;
} allowed[KERNELS];

/* The allocation that has all these bytes; NULL: none. */
static Allocation *find(const void *pointer, size_t bytes)
{
    const char *first = pointer;
    for (int i = 0; i < ALLOCATIONS; i++) {
        Allocation *of = &allocations[i];
        if (of->first && first >= of->first && bytes <= of->bytes && (size_t)(first - of->first) <= of->bytes - bytes)
            return of;
    }
    return NULL;
}

static bool fails(void)
{
    return ++calls == fails_at;
}

static void copy_now(const Copy *copy)
{
    (void)mprotect(copy->of->first, copy->of->bytes, PROT_READ | PROT_WRITE);
    for (size_t r = 0; r < copy->row_count; r++)
        memcpy(copy->to + r * copy->to_pitch, copy->from + r * copy->from_pitch, copy->row_bytes);
    (void)mprotect(copy->of->first, copy->of->bytes, PROT_NONE);
    free(copy->own);
}

static void finish(void)
{
    while (waiting) {
        Copy *copy = waiting;
        copy_now(copy);
        waiting = copy->next;
        free(copy);
    }
    last = &waiting;
}

/* Takes over what the copy has of its own. */
static bool wait_with(const Copy *copy)
{
    Copy *kept = malloc(sizeof *kept);
    if (!kept) {
        free(copy->own);
        return false;
    }
    *kept = *copy;
    *last = kept;
    last = &kept->next;
    return true;
}

/* ---- CUDA's ---- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    const Allocation *of = find(pointer, 1);
    if (fails()) return cudaErrorNoDevice;
    *attributes = of ? (struct cudaPointerAttributes){cudaMemoryTypeDevice, of->device}
                     : (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, -2};
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidPitchValue:
        return "invalid pitch argument";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    }
    return "unrecognized error code";
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return fails() ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (fails() || device < 0 || device >= DEVICES) return last_error = cudaErrorInvalidDevice;
    current = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    finish();
    return fails() ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    finish();
    return fails() ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                              size_t row_count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const bool out = kind == cudaMemcpyDeviceToHost;
    const size_t pitch = out ? from_pitch : to_pitch;
    (void)stream;
    if (fails()) return cudaErrorInvalidValue;
    rectangles++;
    if (to_pitch < row_bytes || from_pitch < row_bytes || pitch > PITCH_MAX) return cudaErrorInvalidPitchValue;
    Allocation *of = find(out ? from : to, (row_count - 1) * pitch + row_bytes);
    if (!of || of->device != current) return cudaErrorInvalidValue;
    const Copy copy = {.to = to,
                       .from = from,
                       .to_pitch = to_pitch,
                       .from_pitch = from_pitch,
                       .row_bytes = row_bytes,
                       .row_count = row_count,
                       .of = of};
    return wait_with(&copy) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    if (fails()) return last_error = cudaErrorMemoryAllocation;
    *left = *all = (size_t)SINO_DOUBLE_MEMORY_MIB << 20;
    for (int i = 0; i < ALLOCATIONS; i++)
        if (allocations[i].first && allocations[i].device == current) *left -= allocations[i].bytes;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device > 1) return last_error = cudaErrorInvalidDevice;
    *value = attribute == cudaDevAttrMemoryClockRate        ? SINO_DOUBLE_CLOCK_KHZ
             : attribute == cudaDevAttrGlobalMemoryBusWidth ? SINO_DOUBLE_BUS_BITS
                                                            : SINO_DOUBLE_SHARED_BYTES;
    return cudaSuccess;
}

static int *allowed_of(const void *kernel)
{
    int i = 0;
    while (allowed[i].kernel && allowed[i].kernel != kernel) i++;
    if (!allowed[i].kernel) allowed[i].most_bytes = 48 << 10;
    allowed[i].kernel = kernel;
    return &allowed[i].most_bytes;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    *attributes = (struct cudaFuncAttributes){SINO_DOUBLE_STATIC_BYTES, *allowed_of(kernel)};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    (void)attribute;
    if (value + SINO_DOUBLE_STATIC_BYTES > SINO_DOUBLE_SHARED_BYTES) return last_error = cudaErrorInvalidValue;
    *allowed_of(kernel) = value;
    return cudaSuccess;
}

/* ---- the tests' ---- */

void *sino_double_allocate(int device, int64_t bytes)
{
    for (int i = 0; i < ALLOCATIONS; i++) {
        Allocation *of = &allocations[i];
        if (of->first) continue;
        void *memory = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return NULL;
        *of = (Allocation){memory, (size_t)bytes, device};
        return memory;
    }
    return NULL;
}

void sino_double_free(void *memory)
{
    for (int i = 0; i < ALLOCATIONS; i++) {
        if (!memory || allocations[i].first != memory) continue;
        (void)munmap(memory, allocations[i].bytes);
        allocations[i].first = NULL;
    }
}

int sino_double_write(void *device, const void *host, int64_t bytes)
{
    const Copy copy = {
        .to = device, .from = host, .row_bytes = (size_t)bytes, .row_count = 1, .of = find(device, (size_t)bytes)};
    if (copy.of) copy_now(&copy);
    return copy.of != NULL;
}

int sino_double_read(void *host, const void *device, int64_t bytes)
{
    const Copy copy = {
        .to = host, .from = device, .row_bytes = (size_t)bytes, .row_count = 1, .of = find(device, (size_t)bytes)};
    if (copy.of) copy_now(&copy);
    return copy.of != NULL;
}

int sino_double_write_later(void *device, const void *host, int64_t bytes)
{
    Copy copy = {.to = device, .row_bytes = (size_t)bytes, .row_count = 1, .of = find(device, (size_t)bytes)};
    if (!copy.of) return 0;
    copy.own = malloc((size_t)bytes);
    if (!copy.own) return 0;
    memcpy(copy.own, host, (size_t)bytes);
    copy.from = copy.own;
    return wait_with(&copy);
}

void sino_double_fail_at(int64_t call)
{
    calls = rectangles = 0;
    fails_at = call;
}

int64_t sino_double_calls(void)
{
    return calls;
}

int64_t sino_double_rectangles(void)
{
    return rectangles;
}
