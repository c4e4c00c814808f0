/* SPDX-License-Identifier: BSD-3-Clause */
/* Submit: one way for every task into StarPU. */
#include "device_choice.h"
#include "runtime_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many tasks in flight the submitting thread waits until half are done: a task costs memory, and more of
 * them give the scheduler nothing to choose from. */
enum { FLIGHT_MAX = 8192 };

static SinoStatus throttle(void)
{
    if (starpu_task_nsubmitted() < FLIGHT_MAX) return NULL;
    const int code = starpu_task_wait_for_n_submitted(FLIGHT_MAX / 2);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU cannot wait for tasks: %s", strerror(-code));
    return NULL;
}

static void give_access(struct starpu_task *task, int access_count, const SinoAccess *access)
{
    task->nbuffers = access_count;
    for (int i = 0; i < access_count; i++) {
        task->handles[i] = access[i].data->handle;
        task->modes[i] = access[i].mode;
    }
}

static SinoStatus give_arguments(struct starpu_task *task, SinoRuntime *runtime, const void *arguments, size_t bytes)
{
    void *copy = malloc(bytes);
    SINO_CHECK(copy, SINO_FAILED, "no memory for the arguments of a task");
    memcpy(copy, arguments, bytes);
    ((SinoTaskHead *)copy)->runtime = runtime;
    task->cl_arg = copy;
    task->cl_arg_size = bytes;
    task->cl_arg_free = 1;
    return NULL;
}

SinoStatus sino_task_submit(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, bool urgent,
                            const void *arguments, size_t argument_bytes, int access_count, const SinoAccess *access)
{
    SINO_TRY(throttle());
    if (runtime->graph) SINO_TRY(sino_task_graph_add(runtime->graph, codelet->name, position, access_count, access));
    struct starpu_task *task = starpu_task_create();
    SINO_CHECK(task, SINO_FAILED, "no memory for a task");
    SinoStatus status = give_arguments(task, runtime, arguments, argument_bytes);
    if (status) {
        starpu_task_destroy(task);
        return status;
    }
    task->cl = codelet;
    task->where = sino_device_where(runtime->devices, codelet, ((const SinoTaskHead *)arguments)->host);
    task->name = codelet->name;
    task->priority = runtime->buckets ? sino_device_bucket(task->where)
                     : urgent         ? STARPU_MAX_PRIO
                                      : STARPU_DEFAULT_PRIO;
    give_access(task, access_count, access);
    if (runtime->profile) sino_profile_watch(runtime, task);
    const int code = starpu_task_submit(task);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU does not take a task '%s': %s", codelet->name, strerror(-code));
    return NULL;
}

uint32_t sino_task_footprint(struct starpu_task *task)
{
    const SinoTaskHead *head = task->cl_arg;
    if (!(head->work > 0)) return starpu_task_data_footprint(task);
    /* Steps of 9 %: blocks differ in their nonzeros, and a model needs ten samples of one size. */
    const int32_t step = (int32_t)lround(8 * log2(head->work));
    return starpu_hash_crc32c_be_n(&step, sizeof step, 0);
}
