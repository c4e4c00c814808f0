/* SPDX-License-Identifier: BSD-3-Clause */
/* Child: work that succeeds, refuses, crashes, loops, takes all memory, or ends without a word. */
#include "child.h"

#include "testing.h"

#include <stdlib.h>
#include <time.h>

static const SinoChildLimits limits = {.cpu_s = 1, .memory_bytes = (int64_t)64 << 20};

static SinoStatus try_work(SinoStatus (*work)(const void *), const void *context)
{
    return sino_child_try("the work", &limits, work, context);
}

static SinoStatus succeed(const void *context)
{
    (void)context;
    return NULL;
}

static SinoStatus refuse(const void *context)
{
    return sino_error(SINO_BAD_INPUT, "%s is bad", (const char *)context);
}

static SinoStatus break_off(const void *context)
{
    return sino_error(SINO_FAILED, "%s", (const char *)context);
}

static void statuses_come_back(void **state)
{
    char *text = calloc(1, 100001);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 100000);
    assert_success(try_work(succeed, NULL));
    assert_error(try_work(refuse, "file"), SINO_BAD_INPUT, "file is bad");
    assert_error(try_work(break_off, text), SINO_FAILED, text);
    assert_error(try_work(break_off, ""), SINO_FAILED, "");
    free(text);
}

static SinoStatus raise_signal(const void *context)
{
    raise(*(const int *)context);
    return NULL;
}

static void crashes_are_errors(void **state)
{
    const int crash = SIGSEGV, interrupt = SIGINT;
    (void)state;
    assert_error(try_work(raise_signal, &crash), SINO_BAD_INPUT,
                 "the work makes the library that reads them crash (signal 11); allowed: files that are whole");
    assert_error(try_work(raise_signal, &interrupt), SINO_FAILED, "the work was ended by signal 2");
}

static SinoStatus loop(const void *context)
{
    volatile bool forever = true;
    (void)context;
    while (forever) continue;
    return NULL;
}

static void loops_end(void **state)
{
    (void)state;
    assert_error(try_work(loop, NULL), SINO_BAD_INPUT,
                 "the work takes more than 1 s of computing; allowed: files that are whole");
}

/* 3 steps of 0.6 s each. */
static SinoStatus work_in_steps(const void *context)
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        const clock_t begin = clock();
        sino_child_step();
        while (clock() - begin < CLOCKS_PER_SEC * 6 / 10) continue;
    }
    return NULL;
}

static void steps_count_by_themselves(void **state)
{
    (void)state;
    assert_success(try_work(work_in_steps, NULL));
    sino_child_step(); /* no child: nothing happens */
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_CPU, &limit), 0);
    assert_true(limit.rlim_cur == limit.rlim_max);
}

static SinoStatus eat(const void *context)
{
    static void **last; /* each piece points to the one before */
    void **memory;
    (void)context;
    while ((memory = malloc(1 << 20))) {
        *memory = last;
        last = memory;
    }
    return sino_error(SINO_FAILED, "no memory");
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    assert_error(try_work(eat, NULL), SINO_FAILED, "no memory");
}

static SinoStatus leave(const void *context)
{
    (void)context;
    _exit(0);
}

static void silence_is_an_error(void **state)
{
    (void)state;
    assert_error(try_work(leave, NULL), SINO_BAD_INPUT, "the work ends without an answer");
}

/* A launcher may leave SIGCHLD ignored; then the kernel keeps no exit code. */
static void ignored_children_are_heard(void **state)
{
    const int crash = SIGSEGV;
    (void)state;
    assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    assert_success(try_work(succeed, NULL));
    assert_error(try_work(refuse, "file"), SINO_BAD_INPUT, "file is bad");
    assert_error(try_work(raise_signal, &crash), SINO_BAD_INPUT, "the work ends without an answer");
    assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
}

TESTING_SUBJECT(child)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_come_back),         cmocka_unit_test(crashes_are_errors),
        cmocka_unit_test(steps_count_by_themselves),  cmocka_unit_test(loops_end),
        cmocka_unit_test(memory_has_a_limit),         cmocka_unit_test(silence_is_an_error),
        cmocka_unit_test(ignored_children_are_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
