/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy queue: a heap of ready tasks. */
#include "policy_queue.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const SinoReadyTask *a, const SinoReadyTask *b)
{
    return a->task->priority != b->task->priority ? a->task->priority > b->task->priority : a->order < b->order;
}

static void swap(SinoReadyTask *a, SinoReadyTask *b)
{
    const SinoReadyTask kept = *a;
    *a = *b;
    *b = kept;
}

void sino_policy_queue_push(SinoPolicyQueue *queue, struct starpu_task *task)
{
    if (queue->count == queue->capacity) {
        const int64_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 256;
        SinoReadyTask *const larger = realloc(queue->ready, (size_t)capacity * sizeof *larger);
        if (!larger) abort();
        queue->ready = larger;
        queue->capacity = capacity;
    }
    int64_t at = queue->count++;
    queue->ready[at] = (SinoReadyTask){.task = task, .order = queue->arrived++};
    for (; at > 0 && before(&queue->ready[at], &queue->ready[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&queue->ready[at], &queue->ready[(at - 1) / 2]);
}

struct starpu_task *sino_policy_queue_first(const SinoPolicyQueue *queue)
{
    return queue->count > 0 ? queue->ready[0].task : NULL;
}

void sino_policy_queue_pop(SinoPolicyQueue *queue)
{
    SinoReadyTask *const ready = queue->ready;
    ready[0] = ready[--queue->count];
    for (int64_t at = 0, child = 1; child < queue->count; at = child, child = 2 * at + 1) {
        if (child + 1 < queue->count && before(&ready[child + 1], &ready[child])) child++;
        if (!before(&ready[child], &ready[at])) return;
        swap(&ready[child], &ready[at]);
    }
}

void sino_policy_queue_clear(SinoPolicyQueue *queue)
{
    free(queue->ready);
    *queue = (SinoPolicyQueue){.ready = NULL};
}
