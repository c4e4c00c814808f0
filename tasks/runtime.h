/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime: StarPU for one run. Starts and stops it, owns data handles, submits tasks, remembers the first failure.
 *
 * Only the thread that started the runtime submits, acquires and frees. A task that fails records its status; from then
 * on tasks return without working, so that the graph drains, and the next sino_runtime_wait gives the status. */
#ifndef SINO_RUNTIME_H
#define SINO_RUNTIME_H

#include "cuda_stream.h"
#include "device.h"
#include "log.h"
#include "opencl_device.h"
#include "processes.h"
#include "spmm_cuda.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

#include <starpu.h>

typedef struct SinoRuntime SinoRuntime;

typedef struct SinoRuntimeRequest {
    int64_t workers;          /* CPU workers; 0: one per core, or STARPU_NCPU */
    unsigned devices;         /* bits of device.h; 0: CPU cores */
    const char *scheduler;    /* NULL: STARPU_SCHED, or lws, all workers being alike; dmdas with devices */
    const char *graph_path;   /* DOT file of every task submitted; NULL: none */
    bool profile;             /* measure tasks and workers */
    SinoLog *log;             /* not owned */
    SinoProcesses *processes; /* those that exchange messages; NULL: this one is alone; not owned */
} SinoRuntimeRequest;

/* SINO_BAD_INPUT: a device that is not there, unknown policy, more workers than cores or than StarPU was built for,
 * graph not writable. */
SinoStatus sino_runtime_start(const SinoRuntimeRequest *request, SinoRuntime **runtime);

/* Waits for every task, shuts StarPU down, gives the graph its name, frees. Takes NULL. All data must be freed before.
 */
SinoStatus sino_runtime_stop(SinoRuntime *runtime);

/* The same after a failure of the caller's: no graph is left, and what the tasks say is lost. Takes NULL. */
void sino_runtime_abandon(SinoRuntime *runtime);

int64_t sino_runtime_worker_count(const SinoRuntime *runtime);
unsigned sino_runtime_devices(const SinoRuntime *runtime); /* in use: bits of device.h */

/* Devices that compute beside cores, or instead of them. */
int64_t sino_runtime_device_count(const SinoRuntime *runtime);

/* Memory that StarPU may use on the smallest device, limits of the environment included; 0: no device, or not known. */
int64_t sino_runtime_device_bytes(const SinoRuntime *runtime);

/* The most that is small data for StarPU. */
enum { SINO_SMALL_DATA_BYTES = 4 << 20 };

/* Of this memory, what StarPU holds for small data while a piece of `bytes` waits for room: it takes GPUs' memory in
 * pieces of 32 MiB for small data, and keeps four of them when they are empty. Larger data that find no room beside
 * these wait for ever. */
int64_t sino_runtime_device_held(const SinoRuntime *runtime, int64_t bytes);

const char *sino_runtime_scheduler(const SinoRuntime *runtime);
SinoLog *sino_runtime_log(const SinoRuntime *runtime);
SinoProcesses *sino_runtime_processes(const SinoRuntime *runtime);

/* What the program takes beside its data: libraries, StarPU's structures and thousands of tasks in flight. */
int64_t sino_runtime_base_bytes(void);

/* Waits for every task; the first failure since the last call, which the caller then owns. */
SinoStatus sino_runtime_wait(SinoRuntime *runtime);

/* The same at the end of inserting tasks, whose `status` comes first when it is an error. Consumes it. */
SinoStatus sino_runtime_wait_after(SinoRuntime *runtime, SinoStatus status);

/* From any thread. Consumes the status; the first one stays. */
void sino_runtime_fail(SinoRuntime *runtime, SinoStatus status);
bool sino_runtime_failed(const SinoRuntime *runtime);

/* Progress: `total` units of work in the run; tasks add what they have done and what they know. From any thread. */
void sino_runtime_expect(SinoRuntime *runtime, double total_work, int64_t slab_count);
void sino_runtime_advance(SinoRuntime *runtime, double work, const SinoProgress *where);
void sino_runtime_expect_less(SinoRuntime *runtime, double work); /* slices that stop early */

/* One piece of memory in main memory under StarPU's care. */
typedef struct SinoData SinoData;

/* `name` is for graphs and messages; a constant. 0 bytes: a void handle, that only orders its tasks. */
SinoStatus sino_data_new(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **data);

/* A vector of `rows` rows of `stride` elements of `element` bytes; an empty one is data, too, that tasks can name. */
SinoStatus sino_data_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                            SinoData **data);

/* A copy of what is there: bytes > 0. */
SinoStatus sino_data_copy(SinoRuntime *runtime, const char *name, const void *from, int64_t bytes, SinoData **data);

/* Data over memory that is not owned and outlives them: `memory` is 64-byte aligned and accessible up to the
 * next multiple of 64 bytes, bytes > 0. Memory that cannot be written, such as a mapped file, is for STARPU_R only. */
SinoStatus sino_data_borrow(SinoRuntime *runtime, const char *name, const void *memory, int64_t bytes, SinoData **data);

/* Memory that each worker has for itself while a task runs; access it with STARPU_SCRATCH. */
SinoStatus sino_data_scratch(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **data);

/* Waits for the tasks that use it. Takes NULL. */
void sino_data_free(SinoData *data);

/* When the tasks submitted so far have used it, it goes back to main memory, and makes room for others where it was. */
void sino_data_return(SinoData *data);

/* Where it is in main memory, whoever uses it just then; NULL: scratch, or no memory. */
const void *sino_data_memory(const SinoData *data);

/* The memory, for the submitting thread, once the tasks that write it are done; NULL status and *memory valid until
 * sino_data_release. Mode is STARPU_R, STARPU_W or STARPU_RW. */
SinoStatus sino_data_acquire(SinoData *data, enum starpu_data_access_mode mode, void **memory);
void sino_data_release(SinoData *data);

/* Where a task stands in the run, for labels; −1 where it does not apply. */
typedef struct SinoPosition {
    int64_t slab, minibatch, partition, iteration;
} SinoPosition;

#define SINO_NOWHERE ((SinoPosition){-1, -1, -1, -1})

/* Every argument structure begins with this. */
typedef struct SinoTaskHead {
    SinoRuntime *runtime;
    bool host;   /* for cores only, though the codelet has other kernels too */
    double work; /* an amount that the time grows with, for the performance model; 0: from the data sizes alone */
} SinoTaskHead;

typedef struct SinoAccess {
    SinoData *data;
    enum starpu_data_access_mode mode;
} SinoAccess;

enum { SINO_TASK_DATA_MAX = 8 }; /* what every StarPU build can take */

/* Submits a task of the codelet (nbuffers STARPU_VARIABLE_NBUFFERS). `arguments` is copied and begins with a
 * SinoTaskHead, whose runtime is filled in. `urgent` tasks go first under policies that know priorities. Waits while
 * very many tasks are in flight. */
SinoStatus sino_task_submit(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, bool urgent,
                            const void *arguments, size_t argument_bytes, int access_count, const SinoAccess *access);

/* The memory of a task's buffer. */
static inline void *sino_buffer(void *buffers[], int i)
{
    return (void *)STARPU_VECTOR_GET_PTR(buffers[i]);
}

/* The performance model's key: quantised work and, without work, the data's sizes. */
uint32_t sino_task_footprint(struct starpu_task *task);

/* Defines `name`, the CPU function of a codelet, from `work`: SinoStatus work(void *buffers[], const Arguments *). */
#define SINO_CPU_FUNCTION(name, Arguments, work_function)                                                              \
    static void name(void *buffers[], void *argument)                                                                  \
    {                                                                                                                  \
        const Arguments *arguments = argument;                                                                         \
        SinoRuntime *runtime = arguments->head.runtime;                                                                \
        if (sino_runtime_failed(runtime)) return;                                                                      \
        sino_runtime_fail(runtime, work_function(buffers, arguments));                                                 \
    }

/* The functions of a codelet for devices: `launch` is an expression, the SinoStatus of launching the kernel; it may use
 * `buffers`, `arguments`, and `stream` of CUDA or `opencl` of OpenCL. The kernel runs after the function has returned.
 * Nothing where program or StarPU were built without the device. */
#if defined SINO_CUDA && defined STARPU_USE_CUDA
#define SINO_CUDA_FUNCTION(name, Arguments, launch)                                                                    \
    static SinoStatus name##_launch(cudaStream_t stream, void *buffers[], const Arguments *arguments)                  \
    {                                                                                                                  \
        return launch;                                                                                                 \
    }                                                                                                                  \
    static void name(void *buffers[], void *argument)                                                                  \
    {                                                                                                                  \
        SinoRuntime *runtime = ((const Arguments *)argument)->head.runtime;                                            \
        if (sino_runtime_failed(runtime)) return;                                                                      \
        sino_runtime_fail(runtime, name##_launch(starpu_cuda_get_local_stream(), buffers, argument));                  \
    }
#define SINO_ON_CUDA(function) .cuda_funcs = {function}, .cuda_flags = {STARPU_CUDA_ASYNC},
#else
#define SINO_CUDA_FUNCTION(name, Arguments, launch)
#define SINO_ON_CUDA(function)
#endif

#if defined SINO_OPENCL && defined STARPU_USE_OPENCL
#define SINO_OPENCL_FUNCTION(name, Arguments, launch)                                                                  \
    static SinoStatus name##_launch(SinoOpencl *opencl, void *buffers[], const Arguments *arguments)                   \
    {                                                                                                                  \
        return launch;                                                                                                 \
    }                                                                                                                  \
    static void name(void *buffers[], void *argument)                                                                  \
    {                                                                                                                  \
        SinoRuntime *runtime = ((const Arguments *)argument)->head.runtime;                                            \
        if (sino_runtime_failed(runtime)) return;                                                                      \
        sino_runtime_fail(runtime, name##_launch(sino_runtime_opencl(runtime), buffers, argument));                    \
    }
#define SINO_ON_OPENCL(function) .opencl_funcs = {function}, .opencl_flags = {STARPU_OPENCL_ASYNC},

/* The device of the worker that calls. */
SinoOpencl *sino_runtime_opencl(const SinoRuntime *runtime);

/* A task's buffer on an OpenCL device. */
static inline cl_mem sino_opencl_buffer(void *buffers[], int i)
{
    return (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);
}
#else
#define SINO_OPENCL_FUNCTION(name, Arguments, launch)
#define SINO_ON_OPENCL(function)
#endif

/* Scratch memory that CUDA's kernels add up in; NULL: no GPU computes. */
SinoData *sino_runtime_workspace(const SinoRuntime *runtime);

/* Shared memory that a block of threads can have on every GPU; 0: none computes. */
int64_t sino_runtime_shared_bytes(const SinoRuntime *runtime);

/* What launches on the GPU of the worker that calls depend on. */
const SinoSpmmDevice *sino_runtime_spmm_device(const SinoRuntime *runtime);

/* Defines the codelet `variable` with its performance model, named as users see it. After the CPU function: SINO_ON_…()
 * of its other functions, without commas. */
#define SINO_CODELET(variable, text, cpu_function, ...)                                                                \
    static struct starpu_perfmodel variable##_model = {                                                                \
        .type = STARPU_HISTORY_BASED, .symbol = "sinodag_" text, .footprint = sino_task_footprint};                    \
    static struct starpu_codelet variable = {.cpu_funcs = {cpu_function},                                              \
                                             __VA_ARGS__.nbuffers = STARPU_VARIABLE_NBUFFERS,                          \
                                             .model = &variable##_model,                                               \
                                             .name = text};

/* With `profile`: measuring starts again from here, where a part of the run begins; the table of it, to the log, when
 * it had tasks. Its lines begin with `part`. */
void sino_runtime_profile_begin(SinoRuntime *runtime);
void sino_runtime_profile_report(SinoRuntime *runtime, const char *part);

#endif
