/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy task: what a scheduling policy can ask about a task. */
#include "policy_task.h"

#include "runtime_private.h"

bool sino_policy_task(const struct starpu_task *task, SinoPolicyTask *about)
{
    const SinoTaskRecord *record = sino_task_record(task);
    if (!record) return false;
    const SinoPosition at = record->task.position;
    *about = (SinoPolicyTask){.name = record->kind->name,
                              .slab = at.slab,
                              .minibatch = at.minibatch,
                              .partition = at.partition,
                              .iteration = at.iteration,
                              .work = record->work,
                              .host = task->where == (int32_t)STARPU_CPU};
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        const int64_t bytes = (int64_t)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
        about->data_bytes += bytes;
        if (bytes > about->block_bytes) about->block_bytes = bytes;
    }
    return true;
}
