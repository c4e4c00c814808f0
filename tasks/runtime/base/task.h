/* SPDX-License-Identifier: BSD-3-Clause */
/* Task: kinds of tasks, and the submission of a task. For the files of tasks/ only.
 *
 * A kind of task is constant data: its name, its operands, and one plain function for each kind of processing unit. The
 * runtime makes StarPU's codelet and performance model of a kind when the first task of that kind is submitted, and
 * owns both. */
#pragma once

#include "cuda_stream.h"
#include "operand.h"
#include "runtime.h"

#include <limits.h>

/* The view of a task that its function gets. */
typedef struct SinoTask {
    SinoRuntime *runtime;
    SinoPosition position;
    const void *arguments; /* a copy of the arguments of the submission, operands bound; 16-byte aligned */
} SinoTask;

enum { SINO_OPERAND_ROWS = 12 };

/* A kernel function computes (cpu), or launches kernels that run after it has returned (cuda, opencl). An error ends
 * the run: sino_runtime_wait returns it. */
typedef struct SinoTaskKind {
    const char *name;                          /* in traces, profiles and graphs; constant. Kinds of one name */
                                               /* share the performance model sinodag_<name>[_<revision>] */
    int revision;                              /* above 0: of its functions; a new one forgets times measured before */
    bool waits;                                /* its functions wait for files */
    size_t argument_bytes;                     /* size of the kind's argument structure */
    SinoOperandRow operand[SINO_OPERAND_ROWS]; /* in the order of accesses; the first one without a name ends them */
    SinoStatus (*cpu)(const SinoTask *task);   /* not NULL */
    SinoStatus (*cuda)(const SinoTask *task, cudaStream_t stream);  /* NULL: no CUDA kernel */
    SinoStatus (*opencl)(const SinoTask *task, SinoOpencl *opencl); /* NULL: no OpenCL kernel */
} SinoTaskKind;

/* Members of a kind: the type of its arguments and its operands. */
#define SINO_ARGUMENTS(type, ...) .argument_bytes = sizeof(type), .operand = {__VA_ARGS__}

/* Members of a kind: its functions NAME_cpu, NAME_cuda and NAME_opencl. */
#define SINO_CPU_CUDA(name)        .cpu = name##_cpu, .cuda = SINO_ON_CUDA(name##_cuda)
#define SINO_CPU_CUDA_OPENCL(name) SINO_CPU_CUDA(name), .opencl = SINO_ON_OPENCL(name##_opencl)

/* `function`, or NULL in a program built without the device. Both branches are compiled, but the compiler drops a
 * static function named only in the dead branch, so that nothing refers to kernels that were not built. */
#ifdef SINO_CUDA
enum { SINO_CUDA_BUILT = 1 };
#else
enum { SINO_CUDA_BUILT = 0 };
#endif
#ifdef SINO_OPENCL
enum { SINO_OPENCL_BUILT = 1 };
#else
enum { SINO_OPENCL_BUILT = 0 };
#endif
/* A simulated device needs to know only that there is a kernel. */
#ifdef SINO_SIMGRID
SinoStatus sino_simulated_kernel(const SinoTask *task, cudaStream_t stream);
SinoStatus sino_simulated_opencl_kernel(const SinoTask *task, SinoOpencl *opencl);
#define SINO_ON_CUDA(function)   (SINO_CUDA_BUILT ? (function) : sino_simulated_kernel)
#define SINO_ON_OPENCL(function) (SINO_OPENCL_BUILT ? (function) : sino_simulated_opencl_kernel)
#else
#define SINO_ON_CUDA(function)   (SINO_CUDA_BUILT ? (function) : NULL)
#define SINO_ON_OPENCL(function) (SINO_OPENCL_BUILT ? (function) : NULL)
#endif

enum {
    SINO_FILE_DATA = -1,            /* as bytes of a file: the bytes of all data of the task */
    SINO_TASK_DATA_MAX = 8,         /* buffers per task for which StarPU's structures of every build have room */
    SINO_PRIORITY_URGENT = INT_MAX, /* the highest one of the policy */
    SINO_CONE_UPDATE_FLOPS = 8      /* of a voxel and a projection of a cone beam: four weights and four sums */
};

/* The submission of one task. */
typedef struct SinoTaskRequest {
    SinoPosition position;
    const void *arguments; /* of the kind's type; copied; NULL if it has none */
    double work;        /* measure of the task's time, for the performance model; 0: the model uses the sizes of data */
    double flops;       /* floating-point operations, without padding; 0: not counted */
    int precision;      /* 1 + SinoPrecision of its vectors; 0: it has none */
    int64_t width;      /* stride of its vectors; 0: it has none. See SINO_OF_SLICES */
    double effort;      /* cost in flops of a product, where bytes and flops do not predict the time; for simulations */
    int64_t part_bytes; /* bytes that it reads and writes, if less than its data; 0: its data; for simulations */
    int64_t passed_bytes; /* that it reads and writes before or after its product; for simulations */
    int64_t file_bytes;   /* that it reads from files, or writes to them; SINO_FILE_DATA: its data; for simulations */
    bool aside;           /* sino_runtime_wait does not wait for the task */
    bool host;            /* only cores run the task, even if the kind has other functions */
    int priority; /* among the tasks of its slab, under policies with priorities; 0: by its iteration, and before */
                  /* products if it is none; below 0: after those of iteration 0; SINO_PRIORITY_URGENT: first of all */
} SinoTaskRequest;

/* Members of a request whose vectors have these slices. */
#define SINO_OF_SLICES(slices) .precision = 1 + (int)(slices).precision, .width = (slices).stride

/* Submits a task. Waits if thousands of tasks are in flight. SINO_FAILED: an operand is missing, no memory, or StarPU
 * refuses. */
SinoStatus sino_task_submit(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoTaskRequest *request);

/* The same. After the position: the address of the arguments, then other members of the request. */
#define SINO_SUBMIT(runtime, kind, at, ...)                                                                            \
    sino_task_submit(runtime, kind, &(SinoTaskRequest){.position = (at), .arguments = __VA_ARGS__})

/* Scratch memory in which CUDA kernels sum; NULL: no GPU computes. */
SinoData *sino_runtime_workspace(const SinoRuntime *runtime);

/* Bytes of shared memory that a thread block can have on every GPU; 0: no GPU computes. */
int64_t sino_runtime_shared_bytes(const SinoRuntime *runtime);

/* Properties of the calling worker's GPU (spmm_cuda.h). */
struct SinoSpmmDevice;
const struct SinoSpmmDevice *sino_runtime_spmm_device(const SinoRuntime *runtime);

/* Calls function(argument) once on each CUDA worker's thread, with the worker's device as the current one. Waits for
 * all calls. */
void sino_runtime_on_each_gpu(SinoRuntime *runtime, void (*function)(void *argument), void *argument);

/* The number of the worker that runs the calling function, 0 … sino_runtime_worker_count − 1. */
int sino_runtime_worker(void);
