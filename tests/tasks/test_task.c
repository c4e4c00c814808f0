/* SPDX-License-Identifier: BSD-3-Clause */
/* Task: the arguments and operands of a kind's function, the order of tasks by their data, failures, and a second start
 * of StarPU. */
#include "policy_task.h"
#include "simulation.h"
#include "task.h"

#include "testing.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <starpu.h>

typedef struct Arguments {
    SinoOperand value;
    double factor;
    int64_t fail;
} Arguments;

static SinoPosition seen;
static SinoPolicyTask asked; /* what a policy would be told of the same task */

static SinoStatus scale(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    int64_t *value = arguments->value.at;
    assert_true((uintptr_t)arguments % 16 == 0);
    seen = sino_task_position(starpu_task_get_current());
    assert_memory_equal(&seen, &task->position, sizeof seen);
    assert_true(sino_policy_task(starpu_task_get_current(), &asked));
    SINO_CHECK(!arguments->fail, SINO_BAD_INPUT, "task fails at %d", (int)*value);
    *value = (int64_t)(arguments->factor * (double)*value);
    return NULL;
}

static SinoStatus count(const SinoTask *task)
{
    const SinoOperand *value = task->arguments;
    ++*(int64_t *)value->at;
    return NULL;
}

typedef struct Value {
    SinoOperand value;
} Value;

static const SinoTaskKind scale_kind = {
    .name = "scale", SINO_ARGUMENTS(Arguments, SINO_UPDATES(Arguments, value)), .cpu = scale};
static const SinoTaskKind count_kind = {
    .name = "scale", SINO_ARGUMENTS(Value, SINO_UPDATES(Value, value)), .cpu = count}; /* shares the model */

static SinoRuntime *start(void)
{
    SinoRuntime *runtime = NULL;
    const SinoRuntimeRequest request = {.workers = 1};
    assert_success(sino_runtime_start(&request, &runtime));
    return runtime;
}

static SinoStatus insert_scale(SinoRuntime *runtime, SinoData *data, double factor, bool fail)
{
    const Arguments arguments = {.value.data = data, .factor = factor, .fail = fail};
    const SinoPosition position = {1, 2, 3, 4};
    return SINO_SUBMIT(runtime, &scale_kind, position, &arguments, .work = 1);
}

static SinoStatus insert_count(SinoRuntime *runtime, SinoData *data)
{
    return SINO_SUBMIT(runtime, &count_kind, SINO_NOWHERE, &(Value){.value.data = data},
                       .priority = SINO_PRIORITY_URGENT);
}

static int64_t value_of(SinoData *data)
{
    void *memory;
    assert_success(sino_data_acquire(data, SINO_READ, &memory));
    const int64_t value = *(const int64_t *)memory;
    sino_data_release(data);
    return value;
}

/* ((5 · 2) + 1) · 3: in the order of submission, with copies of arguments that have gone. */
static void tasks_run_in_order_with_their_arguments(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) { /* StarPU starts twice in one process */
        SinoRuntime *runtime = start();
        SinoData *data;
        const int64_t five = 5;
        assert_success(sino_data_copy(runtime, "number", &five, sizeof five, &data));
        seen = SINO_NOWHERE;
        assert_success(insert_scale(runtime, data, 2, false));
        assert_success(insert_count(runtime, data));
        assert_success(insert_scale(runtime, data, 3, false));
        assert_int_equal(value_of(data), 33);
        assert_true(seen.slab == 1 && seen.minibatch == 2 && seen.partition == 3 && seen.iteration == 4);
        assert_string_equal(asked.name, "scale");
        assert_true(asked.slab == 1 && asked.minibatch == 2 && asked.partition == 3 && asked.iteration == 4);
        assert_true(asked.data_bytes == 64 && asked.block_bytes == 64 && asked.work >= 1);
        sino_data_free(data);
        assert_success(sino_runtime_stop(runtime));
    }
}

/* Tasks behind a failure return without working; waiting gives the first failure once, draining leaves it. */
static void a_failure_stops_what_follows(void **state)
{
    (void)state;
    SinoRuntime *runtime = start();
    SinoData *data;
    const int64_t seven = 7;
    assert_success(sino_data_copy(runtime, "number", &seven, sizeof seven, &data));
    assert_success(insert_scale(runtime, data, 2, true));
    assert_success(insert_count(runtime, data));
    assert_success(insert_scale(runtime, data, 2, true));
    sino_runtime_drain(runtime);
    assert_true(sino_runtime_failed(runtime));
    SinoStatus status = sino_runtime_wait(runtime);
    assert_non_null(status);
    assert_string_equal(sino_status_text(status), "task fails at 7");
    sino_status_free(status);
    assert_success(sino_runtime_wait(runtime));
    assert_int_equal(value_of(data), 7);
    assert_success(insert_count(runtime, data)); /* the runtime goes on */
    assert_int_equal(value_of(data), 8);
    sino_data_free(data);
    assert_success(sino_runtime_stop(runtime));
}

static void tasks_of_others_are_nowhere(void **state)
{
    (void)state;
    struct starpu_task task;
    starpu_task_init(&task);
    const SinoPosition position = sino_task_position(&task);
    assert_true(position.slab == -1 && position.minibatch == -1 && position.partition == -1 &&
                position.iteration == -1);
    SinoPolicyTask untouched = {.slab = 7};
    assert_false(sino_policy_task(&task, &untouched));
    assert_int_equal(untouched.slab, 7);
    starpu_task_clean(&task);
}

enum { TERMS = 20 }; /* more than StarPU's structure of a task has room for */

/* total = Σ term + more, or only Σ term. The place of the operands in the arguments is not that in the kind's table. */
typedef struct Sum {
    int64_t terms;
    SinoOperandList term;
    SinoOperand more, total;
    char odd; /* lists are aligned behind arguments of any size */
} Sum;

static SinoStatus sum(const SinoTask *task)
{
    const Sum *of = task->arguments;
    int64_t total = of->more.at ? *(const int64_t *)of->more.at : 0, terms = 0;
    for (int64_t i = 0; i < of->term.count; i++) {
        if (!of->term.at[i]) continue;
        total += *(const int64_t *)of->term.at[i];
        terms++;
    }
    assert_int_equal(terms, of->terms);
    *(int64_t *)of->total.at = total;
    return NULL;
}

static const SinoTaskKind sum_kind = {
    .name = "sum",
    SINO_ARGUMENTS(Sum, SINO_WRITES(Sum, total), SINO_READS_EACH(Sum, term), SINO_MAY_READ(Sum, more)),
    .cpu = sum};

/* Operands that are missing are NULL, one by one and in a list. */
static void operands_have_their_memory(void **state)
{
    SinoRuntime *runtime = start();
    SinoData *term[TERMS], *total, *more;
    const int64_t hundred = 100;
    (void)state;
    for (int64_t i = 0; i < TERMS; i++) assert_success(sino_data_copy(runtime, "term", &i, sizeof i, &term[i]));
    assert_success(sino_data_copy(runtime, "more", &hundred, sizeof hundred, &more));
    assert_success(sino_data_copy(runtime, "total", &hundred, sizeof hundred, &total));
    for (int gap = 0; gap < 2; gap++) {
        SinoData *const kept = term[7];
        Sum arguments = {.terms = TERMS - gap, .term = {.data = term, .count = TERMS}, .total.data = total};
        if (gap) term[7] = NULL;
        assert_success(SINO_SUBMIT(runtime, &sum_kind, SINO_NOWHERE, &arguments));
        assert_int_equal(value_of(total), 190 - 7 * gap);
        arguments.more.data = more;
        assert_success(SINO_SUBMIT(runtime, &sum_kind, SINO_NOWHERE, &arguments));
        term[7] = kept;
        assert_int_equal(value_of(total), 290 - 7 * gap);
    }
    sino_data_free(total);
    sino_data_free(more);
    for (int64_t i = 0; i < TERMS; i++) sino_data_free(term[i]);
    assert_success(sino_runtime_stop(runtime));
}

/* Void data have no memory. */
static SinoStatus order(const SinoTask *task)
{
    assert_null(((const Value *)task->arguments)->value.at);
    return NULL;
}

static void void_operands_have_no_memory(void **state)
{
    static const SinoTaskKind kind = {.name = "order", SINO_ARGUMENTS(Value, SINO_UPDATES(Value, value)), .cpu = order};
    SinoRuntime *runtime = start();
    SinoData *data;
    (void)state;
    assert_success(sino_data_new(runtime, "order", 0, &data));
    assert_success(SINO_SUBMIT(runtime, &kind, SINO_NOWHERE, &(Value){.value.data = data}));
    assert_success(sino_runtime_wait(runtime));
    sino_data_free(data);
    assert_success(sino_runtime_stop(runtime));
}

/* A task without data that its kind needs is refused, and not submitted. */
static void missing_operands_are_refused(void **state)
{
    SinoRuntime *runtime = start();
    (void)state;
    SinoStatus status = SINO_SUBMIT(runtime, &sum_kind, SINO_NOWHERE, &(Sum){.terms = 0});
    assert_non_null(status);
    assert_string_equal(sino_status_text(status), "a task 'sum' lacks its operand 'total'");
    sino_status_free(status);
    assert_success(sino_runtime_wait(runtime));
    assert_success(sino_runtime_stop(runtime));
}

enum { NOTES = 6 };
static int64_t noted[NOTES];
static int notes;

/* Notes which task runs; the first one runs until the others are submitted. */
static SinoStatus note(const SinoTask *task)
{
    const int64_t which = *(const int64_t *)task->arguments;
    if (which == 0)
        while (starpu_task_nsubmitted() < NOTES) (void)usleep(1000);
    noted[notes++] = which;
    return NULL;
}

static const SinoTaskKind note_kind = {.name = "note", .argument_bytes = sizeof(int64_t), .cpu = note};

/* Of tasks that are ready, the earlier slab goes first, then the earlier iteration, then what is no product; what asks
 * for it goes first or last of its slab. */
static void tasks_have_priorities(void **state)
{
    static const struct {
        SinoPosition position;
        double flops;
        int priority;
    } task[NOTES] = {{SINO_NOWHERE, 0, SINO_PRIORITY_URGENT},
                     {{1, 0, 0, 1}, 0, 0},
                     {{0, 1, 0, 3}, 1, 0},
                     {{0, 0, 0, 3}, 0, 0},
                     {{0, 2, 0, 2}, 1, 0},
                     {{4, 0, 0, -1}, 0, SINO_PRIORITY_URGENT}};
    static const int64_t expected[NOTES] = {0, 5, 4, 3, 2, 1};
    const SinoRuntimeRequest request = {.workers = 1, .scheduler = "prio"};
    SinoRuntime *runtime = NULL;
    (void)state;
    assert_success(sino_runtime_start(&request, &runtime));
    for (int64_t i = 0; i < NOTES; i++)
        assert_success(SINO_SUBMIT(runtime, &note_kind, task[i].position, &i, .flops = task[i].flops,
                                   .priority = task[i].priority));
    assert_success(sino_runtime_wait(runtime));
    assert_memory_equal(noted, expected, sizeof expected);
    assert_success(sino_runtime_stop(runtime));
}

/* A run that fails writes what it has recorded. One that fails before its first task leaves nothing. */
static void a_failed_run_is_recorded(void **state)
{
    char trace[TESTING_PATH], profile[TESTING_PATH], text[64] = "";
    const char *const path[] = {testing_path(trace, *state, "trace.json"),
                                testing_path(profile, *state, "profile.json")};
    const SinoRuntimeRequest request = {
        .workers = 1, .trace_path = trace, .profile_path = profile, .settings = "none: none\n"};
    for (int tasks = 0; tasks < 2; tasks++) {
        SinoRuntime *runtime = NULL;
        SinoData *data;
        const int64_t seven = 7;
        assert_success(sino_runtime_start(&request, &runtime));
        assert_success(sino_data_copy(runtime, "number", &seven, sizeof seven, &data));
        if (tasks) assert_success(insert_scale(runtime, data, 2, true));
        sino_data_free(data);
        sino_runtime_abandon(runtime);
        for (int i = 0; i < 2; i++) {
            FILE *file = fopen(path[i], "r");
            assert_int_equal(file != NULL, tasks == 1);
            if (!file) continue;
            char *whole = calloc(1, 1 << 16);
            assert_non_null(whole);
            assert_true(fread(whole, 1, (1 << 16) - 1, file) > 0);
            snprintf(text, sizeof text, i == 0 ? "\"complete\":false" : "\"complete\": false");
            assert_non_null(strstr(whole, text));
            assert_non_null(strstr(whole, i == 0 ? "\"name\":\"scale\"" : "\"name\": \"scale\""));
            free(whole);
            assert_int_equal(fclose(file), 0);
        }
    }
}

static void ignore_line(void *of, const char *level, const char *event, const char *message)
{
    (void)of, (void)level, (void)event, (void)message;
}

static void keep_progress(void *of, const SinoProgress *progress, const char *text)
{
    (void)text;
    *(SinoProgress *)of = *progress;
}

/* The time before the first work that counts is no time of it. */
static void progress_begins_with_its_work(void **state)
{
    SinoProgress told = {0};
    const SinoLogSink sink = {.line = ignore_line, .progress = keep_progress, .of = &told};
    const SinoProgressShape shape = {
        .slice_count = 1, .slab_slices = 1, .slab_minibatches = 1, .minibatch_slices = 1, .iteration_count = 2};
    SinoRuntimeRequest request = {.workers = 1};
    SinoRuntime *runtime = NULL;
    (void)state;
    assert_success(sino_log_open_sink(&sink, &request.log));
    assert_success(sino_runtime_start(&request, &runtime));
    assert_success(sino_runtime_expect(runtime, 10, &shape));
    const double begin_s = sino_runtime_now_s();
    (void)usleep(400000);
    sino_runtime_advance(runtime, 0, SINO_NOWHERE, &(SinoMinibatchProgress){0});
    const double counted_s = sino_runtime_now_s();
    (void)usleep(150000); /* the log pauses for a tenth of a second */
    sino_runtime_advance(runtime, 1, SINO_NOWHERE, &(SinoMinibatchProgress){0});
    assert_true(told.done == 0.1 && told.elapsed_s > 0.1);
    assert_true(told.elapsed_s <= sino_runtime_now_s() - counted_s + 0.01);
    (void)usleep(150000);
    sino_runtime_advance(runtime, 0, SINO_NOWHERE, &(SinoMinibatchProgress){0}); /* counts as time from now on */
    assert_true(told.elapsed_s > 0.25 && told.elapsed_s < sino_runtime_now_s() - begin_s);
    sino_runtime_expect_nothing(runtime);
    assert_success(sino_runtime_stop(runtime));
    sino_log_close(request.log);
}

TESTING_SUBJECT(task)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_in_order_with_their_arguments),
        cmocka_unit_test(operands_have_their_memory),
        cmocka_unit_test(void_operands_have_no_memory),
        cmocka_unit_test(missing_operands_are_refused),
        cmocka_unit_test(a_failure_stops_what_follows),
        cmocka_unit_test(tasks_have_priorities),
        cmocka_unit_test(tasks_of_others_are_nowhere),
        cmocka_unit_test(progress_begins_with_its_work),
        cmocka_unit_test_setup_teardown(a_failed_run_is_recorded, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
