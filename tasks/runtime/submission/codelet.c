/* SPDX-License-Identifier: BSD-3-Clause */
/* Codelet: StarPU's view of a kind of task, and the one function that StarPU calls for each kind of processing unit.
 *
 * A codelet and its performance model live until StarPU has stopped, because StarPU keeps their addresses. A later
 * start of the runtime makes new ones; they find earlier measurements by the model's symbol, sinodag_<name of the
 * kind>[_<its revision>]. */
#include "memory.h"
#include "stall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The memory of data on the node where the task runs, for CPU and CUDA functions, and for OpenCL functions. */
static void *address_of(void *interface)
{
    return (void *)STARPU_VECTOR_GET_PTR(interface);
}

#ifdef STARPU_USE_OPENCL
static void *handle_of(void *interface)
{
    return (void *)STARPU_VECTOR_GET_DEV_HANDLE(interface);
}
#endif

static bool begin(void *buffers[], void *argument, void *(*memory_of)(void *interface), SinoTask *task)
{
    *task = ((const SinoTaskRecord *)argument)->task;
    sino_stall_begins(task->runtime, ((const SinoTaskRecord *)argument)->kind);
    if (sino_runtime_failed(task->runtime)) return false;
    sino_operands_bind(argument, buffers, memory_of);
    sino_paged_look(task->runtime->paged);
    if (task->runtime->samples) sino_task_samples_begin(argument);
    return true;
}

static const SinoTaskKind *kind_of(const void *argument)
{
    return ((const SinoTaskRecord *)argument)->kind;
}

static void run_on_cpu(void *buffers[], void *argument)
{
    SinoTask task;
    if (!begin(buffers, argument, address_of, &task)) return;
    SinoStatus status = kind_of(argument)->cpu(&task);
    if (task.runtime->samples && !status) sino_task_samples_end(argument);
    sino_runtime_fail(task.runtime, status);
}

#ifdef STARPU_USE_CUDA
static void run_on_cuda(void *buffers[], void *argument)
{
    SinoTask task;
    if (begin(buffers, argument, address_of, &task))
        sino_runtime_fail(task.runtime, kind_of(argument)->cuda(&task, starpu_cuda_get_local_stream()));
}
#endif

#ifdef STARPU_USE_OPENCL
static void run_on_opencl(void *buffers[], void *argument)
{
    SinoTask task;
    if (begin(buffers, argument, handle_of, &task))
        sino_runtime_fail(task.runtime, kind_of(argument)->opencl(&task, sino_runtime_opencl(task.runtime)));
}
#endif

/* What the time of a task of one kind depends on. */
typedef struct Footprint {
    int32_t step;                     /* work, in steps of 9 %: the nonzeros of blocks differ, and a model needs ten */
                                      /* samples of one size */
    int32_t width, precision;         /* of vectors */
    int32_t mode[SINO_TASK_DATA_MAX]; /* of accesses: a task that writes, or has no units, does less than others */
} Footprint;

static uint32_t footprint(struct starpu_task *task)
{
    const SinoTaskRecord *record = task->cl_arg;
    if (!(record->work > 0)) return starpu_task_data_footprint(task);
    Footprint print = {.step = (int32_t)lround(8 * log2(record->work)),
                       .width = (int32_t)record->width,
                       .precision = record->precision};
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task) && i < SINO_TASK_DATA_MAX; i++)
        print.mode[i] = (int32_t)STARPU_TASK_GET_MODE(task, i);
    return starpu_hash_crc32c_be_n(&print, sizeof print, 0);
}

/* What StarPU notes beside a time, for those who fit curves. */
static size_t size_of(struct starpu_task *task, unsigned variant)
{
    const SinoTaskRecord *record = task->cl_arg;
    size_t bytes = 0;
    (void)variant;
    if (record->work > 0) return (size_t)record->work;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        bytes += starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    return bytes;
}

static SinoStatus make_model(const SinoRuntime *runtime, const SinoTaskKind *kind, SinoCodelet *made)
{
    char revision[16] = "";
    if (kind->revision > 0) snprintf(revision, sizeof revision, "_%d", kind->revision);
    SINO_TRY(sino_allocate(1, sizeof *made->model, "a performance model", &made->model));
    SINO_CHECK(asprintf(&made->symbol, "sinodag_%s%s", kind->name, revision) > 0, SINO_FAILED,
               "no memory for a performance model");
    made->model->type = STARPU_HISTORY_BASED;
    made->model->symbol = made->symbol;
    made->model->footprint = footprint;
    made->model->size_base = size_of;
    sino_simulation_model(made->model);
    sino_models_take(runtime->models, made->symbol);
    return NULL;
}

/* The codelet that owns the model of a name; NULL: none yet. */
static const SinoCodelet *find_first(const SinoRuntime *runtime, const char *name)
{
    for (const SinoCodelet *at = runtime->codelet; at; at = at->next)
        if (strcmp(at->kind->name, name) == 0) return at->first;
    return NULL;
}

static void fill(const SinoTaskKind *kind, struct starpu_perfmodel *model, struct starpu_codelet *codelet)
{
    codelet->name = kind->name;
    codelet->model = model;
    codelet->nbuffers = STARPU_VARIABLE_NBUFFERS;
    codelet->cpu_funcs[0] = run_on_cpu;
#ifdef SINO_SIMGRID
    if (sino_simulation_has_kernel(kind->cuda, kind->opencl))
        codelet->cuda_funcs[0] = run_on_cpu; /* which StarPU does not call */
#endif
#ifdef STARPU_USE_CUDA
    if (kind->cuda) codelet->cuda_funcs[0] = run_on_cuda;
    codelet->cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
#ifdef STARPU_USE_OPENCL
    if (kind->opencl) codelet->opencl_funcs[0] = run_on_opencl;
    codelet->opencl_flags[0] = STARPU_OPENCL_ASYNC;
#endif
}

static void free_codelet(SinoCodelet *codelet)
{
    if (codelet->symbol) {
        free(codelet->model);
        free(codelet->symbol);
    }
    free(codelet);
}

SinoStatus sino_codelet_find(SinoRuntime *runtime, const SinoTaskKind *kind, SinoCodelet **codelet)
{
    SinoCodelet *made = runtime->codelet;
    while (made && made->kind != kind) made = made->next;
    if (!made) {
        SINO_TRY(sino_allocate(1, sizeof *made, "a codelet", &made));
        made->kind = kind;
        made->runtime = runtime;
        made->first = find_first(runtime, kind->name);
        if (made->first) made->model = made->first->model;
        SinoStatus status = made->first ? NULL : make_model(runtime, kind, made);
        if (!made->first) made->first = made;
        if (status) {
            free(made->model);
            free(made);
            return status;
        }
        fill(kind, made->model, &made->codelet);
        made->next = runtime->codelet;
        __atomic_store_n(&runtime->codelet, made, __ATOMIC_RELEASE); /* the watch for stalls reads the list */
    }
    *codelet = made;
    return NULL;
}

/* Codelets of shared runtimes, whose addresses StarPU has. A process has one runtime at a time. */
static SinoCodelet *kept;

void sino_codelets_take_over(SinoRuntime *runtime)
{
    for (SinoCodelet *at = kept; at; at = at->next) at->runtime = runtime;
    runtime->codelet = kept;
    kept = NULL;
}

void sino_codelets_free(SinoRuntime *runtime)
{
    if (runtime->shared) {
        kept = runtime->codelet;
        return;
    }
    while (runtime->codelet) {
        SinoCodelet *first = runtime->codelet;
        runtime->codelet = first->next;
        free_codelet(first);
    }
}

const SinoTaskRecord *sino_task_record(const struct starpu_task *task)
{
    const bool ours = task->cl && task->cl->cpu_funcs[0] == run_on_cpu;
    return ours ? task->cl_arg : NULL;
}

SinoPosition sino_task_position(const struct starpu_task *task)
{
    const SinoTaskRecord *record = sino_task_record(task);
    return record ? record->task.position : SINO_NOWHERE;
}
