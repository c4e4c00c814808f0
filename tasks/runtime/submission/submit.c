/* SPDX-License-Identifier: BSD-3-Clause */
/* Submit: the only function that submits tasks to StarPU. */
#include "arithmetic.h"
#include "device_choice.h"
#include "recorder.h"
#include "stall.h"

#include <stdlib.h>
#include <string.h>

/* With more than FLIGHT_MAX tasks in flight the submitting thread waits until half of them are done. A task costs
 * memory, and more tasks give the scheduler no better choice. */
enum { FLIGHT_MAX = 8192 };

static SinoStatus throttle(void)
{
    if (starpu_task_nsubmitted() < FLIGHT_MAX) return NULL;
    const int code = starpu_task_wait_for_n_submitted(FLIGHT_MAX / 2);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU cannot wait for tasks: %s", strerror(-code));
    return NULL;
}

/* StarPU frees the arrays of a task with many data together with the task. */
static SinoStatus give_access(struct starpu_task *task, const SinoAccesses *accesses)
{
    const int count = accesses->count;
    task->nbuffers = count;
    if (count > SINO_TASK_DATA_MAX) {
        task->dyn_handles = malloc((size_t)count * sizeof *task->dyn_handles);
        task->dyn_modes = malloc((size_t)count * sizeof *task->dyn_modes);
        SINO_CHECK(task->dyn_handles && task->dyn_modes, SINO_FAILED, "no memory for the data of a task");
    }
    for (int i = 0; i < count; i++) {
        const SinoAccess *access = &accesses->access[i];
        (count > SINO_TASK_DATA_MAX ? task->dyn_handles : task->handles)[i] = access->data->handle;
        (count > SINO_TASK_DATA_MAX ? task->dyn_modes : task->modes)[i] = sino_starpu_mode(access->mode);
    }
    return NULL;
}

/* Bytes of its data; scratch is left out. */
static int64_t bytes_of(const SinoAccesses *accesses)
{
    int64_t bytes = 0;
    for (int i = 0; i < accesses->count; i++)
        if (!(accesses->access[i].mode & SINO_SCRATCH)) bytes += accesses->access[i].data->bytes;
    return bytes;
}

static uint32_t variant_of(const SinoAccesses *accesses)
{
    uint32_t variant = 1;
    for (int i = 0; i < accesses->count; i++) variant = 31 * variant + (uint32_t)accesses->access[i].mode;
    return variant;
}

static SinoStatus give_arguments(struct starpu_task *task, SinoRuntime *runtime, const SinoTaskKind *kind,
                                 const SinoTaskRequest *request, const SinoAccesses *accesses, SinoRecorded *recorded)
{
    const size_t bytes =
        sizeof(SinoTaskRecord) + kind->argument_bytes + sino_operands_list_bytes(kind, request->arguments);
    SinoTaskRecord *record = malloc(bytes);
    SINO_CHECK(record, SINO_FAILED, "no memory for the arguments of a task '%s'", kind->name);
    *record =
        (SinoTaskRecord){.kind = kind,
                         .task = {.runtime = runtime, .position = request->position, .arguments = record->arguments},
                         .work = request->work,
                         .flops = request->flops,
                         .effort = request->effort,
                         .bytes = bytes_of(accesses),
                         .part_bytes = request->part_bytes,
                         .passed_bytes = request->passed_bytes,
                         .file_bytes = request->file_bytes,
                         .variant = variant_of(accesses),
                         .width = request->width,
                         .precision = request->precision,
                         .recorded = recorded,
                         .pending = request->aside ? &runtime->aside : &runtime->usual};
    if (kind->argument_bytes > 0) memcpy(record->arguments, request->arguments, kind->argument_bytes);
    sino_operands_copy_lists(record);
    task->cl_arg = record;
    task->cl_arg_size = bytes;
    task->cl_arg_free = 1;
    return NULL;
}

/* Earlier slabs come first, so that their slots and memory become free. Within a slab, the minibatch that is behind
 * comes first, so that all of them end together. Within an iteration, the short steps between products come first,
 * because products of all workers wait for them; these steps have no flops. */
static int64_t wanted_priority(const SinoTaskRequest *request)
{
    enum { ITERATIONS = 4096, OF_SLAB = 2 * ITERATIONS };
    const SinoPosition *at = &request->position;
    const int64_t iteration = sino_smaller(sino_larger(at->iteration, 0), ITERATIONS - 1);
    const int64_t within = request->priority != 0 ? request->priority : (request->flops == 0) - 2 * iteration;
    return request->priority == SINO_PRIORITY_URGENT ? INT_MAX : within - sino_times(OF_SLAB, sino_larger(at->slab, 0));
}

/* A priority that the policy has. */
static int priority_of(int64_t wanted)
{
    const int64_t least = STARPU_MIN_PRIO, most = STARPU_MAX_PRIO;
    return (int)sino_larger(least, sino_smaller(wanted, most));
}

/* StarPU's bits of the processing units to which a task is offered. */
static int where(const SinoRuntime *runtime, const struct starpu_codelet *codelet, const SinoTaskRequest *request)
{
    const unsigned devices = request->position.iteration >= 0 ? runtime->iterating : runtime->devices;
    return sino_device_where(devices, codelet, request->host);
}

/* Frees a task that was not submitted. StarPU ends the program when it is to destroy a task that it would destroy by
 * itself after running it. */
static void destroy(struct starpu_task *task)
{
    task->destroy = 0;
    starpu_task_destroy(task);
}

/* StarPU's callback. */
static void task_ended(void *argument)
{
    SinoCodelet *codelet = argument;
    const SinoRuntime *runtime = codelet->runtime;
    struct starpu_task *task = starpu_task_get_current();
    if (runtime->profile) sino_profile_ended(runtime->profile, task);
    if (SINO_SIMULATES) sino_simulation_ended(codelet->runtime, task);
    if (runtime->recorder)
        sino_recorder_ended(runtime->recorder, ((const SinoTaskRecord *)task->cl_arg)->recorded, task);
    if (runtime->samples) sino_task_samples_ended(runtime->samples, codelet, task);
    sino_stall_ended(codelet->runtime, codelet);
    sino_pending_end(((const SinoTaskRecord *)task->cl_arg)->pending);
}

/* StarPU's callback: a task waits for no other any more. */
static void task_ready(void *argument)
{
    sino_task_samples_ready(argument);
}

/* Tells the task graph and the recorder of the task. */
static SinoStatus record(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoTaskRequest *request,
                         const SinoAccesses *accesses, SinoRecorded **result)
{
    SinoRecorded *recorded = NULL;
    SINO_TRY(
        sino_dependencies_add(runtime, kind->name, request->position, accesses->count, accesses->access, &recorded));
    if (!recorded) return NULL;
    recorded->flops = request->flops;
    recorded->precision = (unsigned)request->precision & 7u;
    recorded->bytes = bytes_of(accesses);
    *result = recorded;
    return NULL;
}

/* StarPU's own traces then have the iteration, too. */
static int submit(struct starpu_task *task, int64_t iteration)
{
    if (iteration < 0) return starpu_task_submit(task);
    starpu_iteration_push((unsigned long)iteration);
    const int code = starpu_task_submit(task);
    starpu_iteration_pop();
    return code;
}

static SinoStatus submit_with(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoTaskRequest *request,
                              const SinoAccesses *accesses)
{
    SinoCodelet *codelet;
    SinoRecorded *recorded = NULL;
    SINO_TRY(throttle());
    SINO_TRY(sino_codelet_find(runtime, kind, &codelet));
    SINO_TRY(record(runtime, kind, request, accesses, &recorded));
    struct starpu_task *task = starpu_task_create();
    SINO_CHECK(task, SINO_FAILED, "no memory for a task '%s'", kind->name);
    SinoStatus status = give_arguments(task, runtime, kind, request, accesses, recorded);
    if (!status) status = give_access(task, accesses);
    if (status) {
        destroy(task);
        return status;
    }
    task->cl = &codelet->codelet;
    task->where = where(runtime, &codelet->codelet, request);
    task->callback_func = task_ended;
    task->callback_arg = codelet;
    if (runtime->samples) task->prologue_callback_func = task_ready;
    task->prologue_callback_arg = task->cl_arg;
    sino_simulation_submitted(task, accesses);
    task->name = kind->name;
    task->priority = runtime->buckets ? sino_device_bucket(task->where) : priority_of(wanted_priority(request));
    task->flops = request->flops;
    if (runtime->graph) sino_task_graph_submitted(runtime->graph, task, wanted_priority(request));
    sino_stall_submitted(codelet);
    SinoPending *pending = request->aside ? &runtime->aside : &runtime->usual;
    sino_pending_begin(pending);
    const int code = submit(task, request->position.iteration);
    if (code == 0) return NULL;
    sino_pending_end(pending);
    destroy(task);
    return sino_error(SINO_FAILED, "StarPU does not take a task '%s': %s", kind->name, strerror(-code));
}

SinoStatus sino_task_submit(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoTaskRequest *request)
{
    SinoAccesses accesses;
    SINO_TRY(sino_operands_access(kind, request->arguments, &accesses));
    SinoStatus status = submit_with(runtime, kind, request, &accesses);
    free(accesses.access);
    return status;
}
