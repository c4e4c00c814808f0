/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling policy in a shared object: of the ready tasks that a worker can run, it gets the one that is expected to
 * take longest; of equal ones, that of the minibatch which is furthest behind. docs/SCHEDULING.md says how to build it.
 */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdlib.h>
#include <string.h>

#include "policy_task.h"

typedef struct Ready {
    struct starpu_task_list tasks;
    starpu_pthread_mutex_t mutex;
} Ready;

static void begin(unsigned context)
{
    Ready *ready = malloc(sizeof *ready);
    if (!ready) abort();
    starpu_task_list_init(&ready->tasks);
    starpu_pthread_mutex_init(&ready->mutex, NULL);
    starpu_sched_ctx_set_policy_data(context, ready);
}

static void end(unsigned context)
{
    Ready *ready = starpu_sched_ctx_get_policy_data(context);
    starpu_pthread_mutex_destroy(&ready->mutex);
    free(ready);
}

/* A worker that waits for the mutex lets others wake it. */
static Ready *lock(unsigned context)
{
    Ready *ready = starpu_sched_ctx_get_policy_data(context);
    starpu_worker_relax_on();
    starpu_pthread_mutex_lock(&ready->mutex);
    starpu_worker_relax_off();
    return ready;
}

static int push(struct starpu_task *task)
{
    Ready *ready = lock(task->sched_ctx);
    starpu_task_list_push_back(&ready->tasks, task);
    starpu_push_task_end(task);
    starpu_pthread_mutex_unlock(&ready->mutex);
    for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++) starpu_wake_worker_relax_light(worker);
    return 0;
}

/* Microseconds by StarPU's performance models; 0 while there is none. */
static double expected(struct starpu_task *task, unsigned worker, unsigned context, unsigned variant)
{
    const double us = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, context), variant);
    return us > 0 ? us : 0;
}

static int64_t iteration_of(const struct starpu_task *task)
{
    SinoPolicyTask about = {.iteration = -1};
    (void)sino_policy_task(task, &about); /* false: a task of StarPU itself */
    return about.iteration;
}

static struct starpu_task *pop(unsigned context)
{
    Ready *ready = lock(context);
    const unsigned worker = starpu_worker_get_id_check();
    struct starpu_task *best = NULL, *task = starpu_task_list_begin(&ready->tasks);
    unsigned variant, best_variant = 0;
    double longest = 0;
    for (; task != starpu_task_list_end(&ready->tasks); task = starpu_task_list_next(task)) {
        if (!starpu_worker_can_execute_task_first_impl(worker, task, &variant)) continue;
        const double us = expected(task, worker, context, variant);
        if (best && (us < longest || (us <= longest && iteration_of(task) >= iteration_of(best)))) continue;
        best = task, best_variant = variant, longest = us;
    }
    if (best) {
        starpu_task_list_erase(&ready->tasks, best);
        starpu_task_set_implementation(best, best_variant);
    }
    starpu_pthread_mutex_unlock(&ready->mutex);
    return best;
}

static struct starpu_sched_policy longest_first = {.init_sched = begin,
                                                   .deinit_sched = end,
                                                   .push_task = push,
                                                   .pop_task = pop,
                                                   .policy_name = "longest",
                                                   .policy_description = "longest expected task first",
                                                   .worker_type = STARPU_WORKER_LIST};

/* sinodag, and StarPU 1.4 itself, look for these two. */
struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);
struct starpu_sched_policy **starpu_get_sched_lib_policies(void);

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
    return strcmp(name, longest_first.policy_name) == 0 ? &longest_first : NULL;
}

struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
    static struct starpu_sched_policy *all[] = {&longest_first, NULL};
    return all;
}
