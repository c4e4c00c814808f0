/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheduling policies for tests: "idle" keeps every task, so that a run comes to a standstill; "hollow" has no
 * functions. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <string.h>

static void nothing(unsigned context)
{
    (void)context;
}

static int push(struct starpu_task *task)
{
    starpu_push_task_end(task);
    return 0;
}

static struct starpu_task *pop(unsigned context)
{
    (void)context;
    return NULL;
}

static struct starpu_sched_policy idle = {.init_sched = nothing,
                                          .deinit_sched = nothing,
                                          .push_task = push,
                                          .pop_task = pop,
                                          .policy_name = "idle",
                                          .policy_description = "no task ever",
                                          .worker_type = STARPU_WORKER_LIST};

static struct starpu_sched_policy hollow = {.policy_name = "hollow"};

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
    struct starpu_sched_policy *const known[] = {&idle, &hollow};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]->policy_name) == 0) return known[i];
    return NULL;
}
