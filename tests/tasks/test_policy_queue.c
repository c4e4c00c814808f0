/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy queue: tasks come out by priority, and of equal ones in the order in which they came. */
#include "policy_queue.h"

#include "testing.h"

enum { TASKS = 1000, PRIORITIES = 7 };

/* The next one of a queue that is to have one. */
static struct starpu_task *taken(SinoPolicyQueue *queue)
{
    struct starpu_task *task = sino_policy_queue_first(queue);
    assert_non_null(task);
    sino_policy_queue_pop(queue);
    return task;
}

static void the_highest_comes_first(void **state)
{
    static struct starpu_task task[TASKS];
    SinoPolicyQueue queue = {0};
    (void)state;
    for (int i = 0; i < TASKS; i++) {
        task[i].priority = i * 7919 % PRIORITIES - 3;
        sino_policy_queue_push(&queue, &task[i]);
    }
    const struct starpu_task *before = taken(&queue);
    for (int i = 1; i < TASKS; i++) {
        const struct starpu_task *now = taken(&queue);
        assert_true(now->priority < before->priority || (now->priority == before->priority && now > before));
        before = now;
    }
    assert_null(sino_policy_queue_first(&queue));
    sino_policy_queue_clear(&queue);
}

static void tasks_come_and_go(void **state)
{
    struct starpu_task low = {.priority = INT32_MIN}, high = {.priority = INT32_MAX}, middle = {.priority = 0};
    SinoPolicyQueue queue = {0};
    (void)state;
    assert_null(sino_policy_queue_first(&queue));
    sino_policy_queue_push(&queue, &low);
    sino_policy_queue_push(&queue, &high);
    assert_ptr_equal(taken(&queue), &high);
    sino_policy_queue_push(&queue, &middle);
    assert_ptr_equal(taken(&queue), &middle);
    assert_ptr_equal(taken(&queue), &low);
    assert_null(sino_policy_queue_first(&queue));
    sino_policy_queue_clear(&queue);
}

TESTING_SUBJECT(policy_queue)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_highest_comes_first), cmocka_unit_test(tasks_come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
