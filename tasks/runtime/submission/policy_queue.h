/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy queue: ready tasks, of which the one with the highest priority comes first; of equal ones, the one that came
 * first. A heap. Not safe for threads. */
#pragma once

#include <starpu.h>
#include <stdint.h>

typedef struct SinoReadyTask {
    struct starpu_task *task;
    int64_t order; /* of arrival */
} SinoReadyTask;

typedef struct SinoPolicyQueue {
    SinoReadyTask *ready; /* owned */
    int64_t count, capacity, arrived;
} SinoPolicyQueue;

/* Ends the program if there is no memory for the queue, as StarPU does. */
void sino_policy_queue_push(SinoPolicyQueue *queue, struct starpu_task *task);
struct starpu_task *sino_policy_queue_first(const SinoPolicyQueue *queue); /* NULL: empty */
void sino_policy_queue_pop(SinoPolicyQueue *queue); /* takes out the first one; not of an empty queue */
void sino_policy_queue_clear(SinoPolicyQueue *queue);

/* Policy affinity, `--scheduler sino-affinity`: each partition of each minibatch has a device, its home. Its products
 * run there, so that its block of the operator and its vectors never move. docs/lab/policies.md has figures. */

struct starpu_sched_policy;

extern struct starpu_sched_policy sino_policy_affinity;
