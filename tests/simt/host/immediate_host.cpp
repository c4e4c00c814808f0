/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU that does everything at once, for tests of kernels: its memory is out of reach but while it works, and each
 * allocation ends where a page does that is never in reach. */
#include "simt_host.h"

#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes)   ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)0)
#endif

namespace
{

enum { PAGE = 4096, ALIGNMENT = 16, UNDEFINED = 0xff };

struct Allocation {
    char *page;
    size_t page_bytes; /* without the last page */

    void allow(int protection) const
    {
        if (mprotect(page, page_bytes, protection) != 0) abort();
    }
};

/* What is left at the end has been forgotten. */
struct Memory {
    std::map<const char *, Allocation> allocations; /* by their ends */
    std::multimap<size_t, char *> spare; /* released, by their bytes: new pages would cost more than copies */

    ~Memory()
    {
        if (allocations.empty()) return;
        fprintf(stderr, "%zu allocations of the host's GPU were not released\n", allocations.size());
        _Exit(1);
    }
} memory_of_gpu;

} // namespace

const char *simt_submit(cudaStream_t, SimtWork work)
{
    for (const auto &of : memory_of_gpu.allocations) of.second.allow(PROT_READ | PROT_WRITE);
    const char *const fault = work();
    for (const auto &of : memory_of_gpu.allocations) of.second.allow(PROT_NONE);
    return fault;
}

/* The allocation that has all of the bytes. */
static auto find(const void *memory, size_t bytes)
{
    const char *const at = static_cast<const char *>(memory);
    const auto found = memory_of_gpu.allocations.lower_bound(at + bytes);
    const bool inside = found != memory_of_gpu.allocations.end() && at >= found->second.page;
    return inside ? found : memory_of_gpu.allocations.end();
}

bool simt_is_device(const void *memory)
{
    return find(memory, 0) != memory_of_gpu.allocations.end();
}

/* Out of reach, and one more behind them. */
static char *take_pages(size_t page_bytes)
{
    const auto found = memory_of_gpu.spare.find(page_bytes);
    if (found != memory_of_gpu.spare.end()) {
        char *const page = found->second;
        memory_of_gpu.spare.erase(found);
        return page;
    }
    void *const page = mmap(nullptr, page_bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? nullptr : static_cast<char *>(page);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    const size_t held = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, page_bytes = (held + PAGE - 1) / PAGE * PAGE;
    char *const begin = take_pages(page_bytes);
    if (!begin) return cudaErrorMemoryAllocation;
    char *const end = begin + page_bytes, *const start = end - held;
    const Allocation of = memory_of_gpu.allocations[end] = {begin, page_bytes};
    of.allow(PROT_READ | PROT_WRITE);
    memset(begin, UNDEFINED, page_bytes);
    of.allow(PROT_NONE);
    ASAN_POISON_MEMORY_REGION(begin, static_cast<size_t>(start - begin));
    ASAN_POISON_MEMORY_REGION(start + bytes, held - bytes);
    *memory = start;
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    if (!memory) return cudaSuccess;
    const auto found = find(memory, 0);
    if (found == memory_of_gpu.allocations.end()) return cudaErrorInvalidValue;
    const Allocation of = found->second;
    memory_of_gpu.allocations.erase(found);
    ASAN_UNPOISON_MEMORY_REGION(of.page, of.page_bytes);
    memory_of_gpu.spare.emplace(of.page_bytes, of.page);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const void *const of_device = kind == cudaMemcpyHostToDevice ? to : from;
    const void *const of_host = kind == cudaMemcpyHostToDevice ? from : to;
    const auto found = find(of_device, bytes);
    if (found == memory_of_gpu.allocations.end() || simt_is_device(of_host)) return cudaErrorInvalidValue;
    found->second.allow(PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    found->second.allow(PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    const auto found = find(memory, bytes);
    if (found == memory_of_gpu.allocations.end()) return cudaErrorInvalidValue;
    found->second.allow(PROT_READ | PROT_WRITE);
    memset(memory, value, bytes);
    found->second.allow(PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : error == cudaErrorInvalidValue ? "invalid argument" : "out of memory";
}

cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
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
