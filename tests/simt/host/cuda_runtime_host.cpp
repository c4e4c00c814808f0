/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's runtime, as far as StarPU and the program call it, by the host: GPUs whose kernels are those of simt_host.h,
 * so that the whole program, its tasks on GPUs and StarPU's transfers run where there is no GPU.
 *
 * What a stream is given is done later, by a thread of its own: of the streams that have something to do, one drawn at
 * random goes on, so that only what CUDA orders happens in order. A small array of pageable memory that cudaMemcpy
 * copies arrives when somebody waits for the default stream. The devices' memory is out of reach but for that thread
 * while it works; it begins as NaN. Copies that reach beyond an allocation, or mistake one side for the other, are
 * refused, as is memory that shares a page with page-locked one. Kernels that are given an address of the host's memory
 * end the program, and so does cudaDeviceReset, which would take from others in the process the memory that they have.
 *
 *     SIMT_GPUS         GPUs that there are; 2 by default. CUDA_VISIBLE_DEVICES set to nothing hides them
 *     SIMT_GPU_MEMORY   MiB of each; 512 by default
 *     SIMT_GPU_OTHERS   MiB of each that other processes hold; 0 by default
 *     SIMT_GPU_UNTOUCHED=1  a call that needs a GPU's memory or streams, or page-locks memory, ends the program */
#include "simt_stream.h"

#include <condition_variable>
#include <cuda_runtime_api.h>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct CUstream_st {
    std::deque<SimtWork> queue;
    bool busy;
};

struct CUevent_st {
    int open; /* records that have not been reached */
};

namespace
{

enum { GPUS_MAX = 8, ALIGNMENT = 256, UNDEFINED = 0xff, PAGE = 4096, STAGED_BYTES = 64 << 10 };

struct Allocation {
    size_t bytes;
    int device;
};

struct Runtime {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<CUstream_st *> streams;
    CUstream_st default_stream = {}, own_stream = {}; /* own: of this file's work, which nothing else is ordered with */
    std::minstd_rand random;
    bool started = false;
    char *arena = nullptr;
    size_t device_bytes = 0, others_bytes = 0, arena_bytes = 0;
    std::map<char *, Allocation> allocations;
    bool held = false; /* copies of the default stream that nobody has waited for are still on their way */
    std::map<uintptr_t, uintptr_t> locked; /* first page and end of page-locked memory */
    size_t used[GPUS_MAX] = {};
};

/* Lives until the process ends, as its thread does. */
Runtime &runtime = *new Runtime;
thread_local int current_device;
thread_local cudaError_t last_error;

} // namespace

/* What a call of CUDA returns; its error stays for cudaGetLastError. */
static cudaError_t done(cudaError_t error)
{
    if (error) last_error = error;
    return error;
}

[[noreturn]] static void end(const char *fault)
{
    fprintf(stderr, "on the host's GPU: %s\n", fault);
    abort();
}

static long number_of(const char *variable, long usual)
{
    const char *const text = getenv(variable);
    return text && *text ? atol(text) : usual;
}

static int gpu_count()
{
    const char *const visible = getenv("CUDA_VISIBLE_DEVICES");
    const long count = visible && !*visible ? 0 : number_of("SIMT_GPUS", 2);
    return count < GPUS_MAX ? static_cast<int>(count) : GPUS_MAX;
}

/* ---- streams ---- */

static CUstream_st *choose_stream()
{
    std::vector<CUstream_st *> ready;
    for (CUstream_st *stream : runtime.streams)
        if (!stream->queue.empty() && !(runtime.held && stream == &runtime.default_stream)) ready.push_back(stream);
    return ready.empty() ? nullptr : ready[runtime.random() % ready.size()];
}

static void work_for_ever()
{
    std::unique_lock<std::mutex> lock(runtime.mutex);
    for (;;) {
        CUstream_st *stream;
        while (!(stream = choose_stream())) runtime.changed.wait(lock);
        const SimtWork work = std::move(stream->queue.front());
        stream->queue.pop_front();
        stream->busy = true;
        mprotect(runtime.arena, runtime.arena_bytes, PROT_READ | PROT_WRITE);
        lock.unlock();
        if (const char *const fault = work()) end(fault);
        lock.lock();
        mprotect(runtime.arena, runtime.arena_bytes, PROT_NONE);
        stream->busy = false;
        runtime.changed.notify_all();
    }
}

/* With the first call, so that it is not of a process that has forked since. Needs the lock. */
static void start()
{
    if (runtime.started) return;
    if (number_of("SIMT_GPU_UNTOUCHED", 0)) end("it is used, and was to be left alone");
    runtime.started = true;
    runtime.streams = {&runtime.default_stream, &runtime.own_stream};
    runtime.device_bytes = static_cast<size_t>(number_of("SIMT_GPU_MEMORY", 512)) << 20;
    runtime.others_bytes = static_cast<size_t>(number_of("SIMT_GPU_OTHERS", 0)) << 20;
    runtime.arena_bytes = runtime.device_bytes * GPUS_MAX;
    void *const arena =
        mmap(nullptr, runtime.arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) {
        perror("memory of the host's GPUs");
        abort();
    }
    /* In large pages, where the system has them: with small ones, most of the time went to opening and closing it. */
    (void)madvise(arena, runtime.arena_bytes, MADV_HUGEPAGE);
    runtime.arena = static_cast<char *>(arena);
    std::thread(work_for_ever).detach();
}

static void submit(CUstream_st *stream, SimtWork work)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    start();
    (stream ? stream : &runtime.default_stream)->queue.push_back(std::move(work));
    runtime.changed.notify_all();
}

const char *simt_submit(cudaStream_t stream, SimtWork work)
{
    submit(stream, std::move(work));
    return nullptr;
}

static void wait_for(const CUstream_st *stream)
{
    std::unique_lock<std::mutex> lock(runtime.mutex);
    if (stream == &runtime.default_stream) runtime.held = false;
    runtime.changed.notify_all();
    runtime.changed.wait(lock, [=] { return stream->queue.empty() && !stream->busy; });
}

/* ---- memory ---- */

/* The allocation that has all of the bytes, if any. Needs the lock. */
static const Allocation *find(const void *memory, size_t bytes)
{
    char *const at = static_cast<char *>(const_cast<void *>(memory));
    auto found = runtime.allocations.upper_bound(at);
    if (found == runtime.allocations.begin()) return nullptr;
    --found;
    return at + bytes <= found->first + found->second.bytes ? &found->second : nullptr;
}

bool simt_is_device(const void *memory)
{
    const char *const at = static_cast<const char *>(memory);
    return at >= runtime.arena && at < runtime.arena + runtime.arena_bytes;
}

static bool copy_allowed(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    start();
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return (to_device ? find(to, bytes) != nullptr : !simt_is_device(to)) &&
           (from_device ? find(from, bytes) != nullptr : !simt_is_device(from));
}

static cudaError_t copy(CUstream_st *stream, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (!copy_allowed(to, from, bytes, kind)) return done(cudaErrorInvalidValue);
    submit(stream, [=] {
        memcpy(to, from, bytes);
        return nullptr;
    });
    return cudaSuccess;
}

/* The first gap of the device's share of the arena that is large enough. Needs the lock. */
static char *find_room(size_t bytes)
{
    char *at = runtime.arena + static_cast<size_t>(current_device) * runtime.device_bytes;
    char *const end = at + runtime.device_bytes;
    for (auto next = runtime.allocations.lower_bound(at); next != runtime.allocations.end(); ++next) {
        if (next->first >= end || next->first >= at + bytes) break;
        at = next->first + (next->second.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    }
    return at + bytes <= end ? at : nullptr;
}

static void fill(CUstream_st *stream, void *memory, int value, size_t bytes)
{
    submit(stream, [=] {
        memset(memory, value, bytes);
        return nullptr;
    });
    wait_for(stream);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    char *room;
    {
        const std::lock_guard<std::mutex> lock(runtime.mutex);
        start();
        const size_t left = runtime.device_bytes - runtime.others_bytes - runtime.used[current_device];
        room = bytes <= left ? find_room(bytes) : nullptr;
        if (!room) return done(cudaErrorMemoryAllocation);
        runtime.allocations[room] = {bytes, current_device};
        runtime.used[current_device] += bytes;
    }
    *memory = room;
    fill(&runtime.own_stream, room, UNDEFINED, bytes);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    if (!memory) return cudaSuccess;
    cudaDeviceSynchronize();
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    const auto found = runtime.allocations.find(static_cast<char *>(memory));
    if (found == runtime.allocations.end()) return done(cudaErrorInvalidValue);
    runtime.used[found->second.device] -= found->second.bytes;
    runtime.allocations.erase(found);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    start();
    *total = runtime.device_bytes;
    *left = runtime.device_bytes - runtime.others_bytes - runtime.used[current_device];
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    fill(&runtime.default_stream, memory, value, bytes);
    return cudaSuccess;
}

/* The pages of memory. */
static uintptr_t first_page(const void *memory)
{
    return reinterpret_cast<uintptr_t>(memory) / PAGE * PAGE;
}

static uintptr_t end_page(const void *memory, size_t bytes)
{
    return (reinterpret_cast<uintptr_t>(memory) + bytes + PAGE - 1) / PAGE * PAGE;
}

/* Whether page-locked memory has one of the pages. Needs the lock. */
static bool is_locked(uintptr_t first, uintptr_t end)
{
    const auto after = runtime.locked.lower_bound(end);
    return after != runtime.locked.begin() && std::prev(after)->second > first;
}

static bool is_staged(const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    return kind == cudaMemcpyHostToDevice && bytes <= STAGED_BYTES &&
           !is_locked(first_page(from), end_page(from, bytes));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (is_staged(from, bytes, kind) && copy_allowed(to, from, bytes, kind)) {
        const char *const first = static_cast<const char *>(from);
        {
            const std::lock_guard<std::mutex> lock(runtime.mutex);
            runtime.held = true;
        }
        submit(nullptr, [to, staged = std::vector<char>(first, first + bytes)] {
            memcpy(to, staged.data(), staged.size());
            return nullptr;
        });
        return cudaSuccess;
    }
    const cudaError_t error = copy(nullptr, to, from, bytes, kind);
    if (!error) wait_for(&runtime.default_stream);
    return error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(stream, to, from, bytes, kind);
}

cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t stream)
{
    return copy(stream, to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    start();
    *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (!*memory) return done(cudaErrorMemoryAllocation);
    runtime.locked[first_page(*memory)] = end_page(*memory, bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    runtime.locked.erase(first_page(memory));
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    const uintptr_t first = first_page(memory), end = end_page(memory, bytes);
    start();
    if (is_locked(first, end)) return done(cudaErrorHostMemoryAlreadyRegistered);
    runtime.locked[first] = end;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    return runtime.locked.erase(first_page(memory)) ? cudaSuccess : done(cudaErrorHostMemoryNotRegistered);
}

/* ---- devices, streams and events as CUDA's calls ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = gpu_count();
    return *count > 0 ? cudaSuccess : done(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= gpu_count()) return done(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    if (attribute == cudaDevAttrMultiProcessorCount)
        *value = SIMT_MULTIPROCESSORS;
    else if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin)
        *value = SIMT_SHARED_BYTES;
    else
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    *properties = cudaDeviceProp{};
    snprintf(properties->name, sizeof properties->name, "SIMT on the host");
    properties->totalGlobalMem = static_cast<size_t>(number_of("SIMT_GPU_MEMORY", 512)) << 20;
    properties->multiProcessorCount = SIMT_MULTIPROCESSORS;
    properties->pciBusID = device + 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int, int)
{
    *can = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    std::vector<CUstream_st *> streams;
    {
        const std::lock_guard<std::mutex> lock(runtime.mutex);
        start();
        streams = runtime.streams;
    }
    for (const CUstream_st *stream : streams) wait_for(stream);
    return cudaSuccess;
}

cudaError_t cudaDeviceReset()
{
    end("it is reset, with all the memory that this process has there");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    start();
    *stream = new CUstream_st{};
    runtime.streams.push_back(*stream);
    return cudaSuccess;
}

/* The stream itself stays, for whoever has begun to wait for it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    wait_for(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    wait_for(stream ? stream : &runtime.default_stream);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    const CUstream_st *const of = stream ? stream : &runtime.default_stream;
    return of->queue.empty() && !of->busy ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new CUevent_st{};
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaEventSynchronize(event);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    {
        const std::lock_guard<std::mutex> lock(runtime.mutex);
        event->open++;
    }
    submit(stream, [=] {
        const std::lock_guard<std::mutex> lock(runtime.mutex);
        event->open--;
        return nullptr;
    });
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const std::lock_guard<std::mutex> lock(runtime.mutex);
    return event->open == 0 ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    std::unique_lock<std::mutex> lock(runtime.mutex);
    runtime.changed.wait(lock, [=] { return event->open == 0; });
    return cudaSuccess;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                 ? "no error"
           : error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNoDevice         ? "no CUDA-capable device is detected"
           : error == cudaErrorHostMemoryAlreadyRegistered
               ? "part or all of the requested memory range is already mapped"
               : "invalid argument";
}
