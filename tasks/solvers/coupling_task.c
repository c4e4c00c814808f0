/* SPDX-License-Identifier: BSD-3-Clause */
/* Task coupling: what ties minibatches of slices together. */
#include "coupling_task.h"

#include "coupling.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

typedef struct EdgeArguments {
    SinoSlices slices;
    int64_t rows, slice;
} EdgeArguments;

static SinoStatus edge_cpu(const SinoTask *task)
{
    const EdgeArguments *of = task->arguments;
    sino_coupling_edge(of->slices, of->rows, of->slice, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind edge_kind = {
    .name = "edge", .argument_bytes = sizeof(EdgeArguments), .access_min = 2, .access_max = 2, .cpu = edge_cpu};

SinoStatus sino_insert_edge(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows, int64_t slice,
                            SinoData *vector, SinoData *edge)
{
    const EdgeArguments arguments = {.slices = slices, .rows = rows, .slice = slice};
    const SinoAccess access[] = {{vector, SINO_READ}, {edge, SINO_WRITE}};
    return sino_task_submit(runtime, &edge_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)rows,
                                               .part_bytes = 2 * rows * (int64_t)sino_precision_bytes(slices.precision),
                                               .host = true});
}

typedef struct StepsArguments {
    SinoSlices slices;
    bool before, after;
} StepsArguments;

static SinoStatus steps_cpu(const SinoTask *task)
{
    const StepsArguments *of = task->arguments;
    sino_coupling_steps(of->slices, of->before, of->after ? sino_task_buffer(task, 1) : NULL,
                        sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind steps_kind = {.name = "coupling_steps",
                                        .argument_bytes = sizeof(StepsArguments),
                                        .access_min = 1,
                                        .access_max = 2,
                                        .cpu = steps_cpu};

SinoStatus sino_insert_coupling_steps(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, bool before,
                                      SinoData *after, SinoData *state)
{
    const StepsArguments arguments = {.slices = slices, .before = before, .after = after != NULL};
    const SinoAccess access[] = {{state, SINO_READ_WRITE}, {after, SINO_READ}};
    return sino_task_submit(runtime, &steps_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = after ? 2 : 1,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)slices.stride,
                                               .host = true});
}

/* Buffers: the total; sums and state of each minibatch; totals that have arrived. */
typedef struct SumsArguments {
    SinoSlices slices;
    int64_t count, last_count, arrived_count;
} SumsArguments;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const SumsArguments *of = task->arguments;
    SinoSliceSums *total = sino_task_buffer(task, 0), sum = {0};
    for (int64_t i = 0; i < of->count; i++) {
        SinoSlices slices = of->slices;
        if (i == of->count - 1) slices.slice_count = of->last_count;
        sino_coupling_add(slices, sino_task_buffer(task, (int)(2 * i + 1)), sino_task_buffer(task, (int)(2 * i + 2)),
                          &sum);
    }
    for (int64_t i = 0; i < of->arrived_count; i++) {
        const SinoSliceSums *arrived = sino_task_buffer(task, (int)(2 * of->count + 1 + i));
        sum = sino_slice_add(sum, *arrived, false);
    }
    for (int64_t f = 0; f < of->slices.stride; f++) total[f] = sum;
    return NULL;
}

static const SinoTaskKind sums_kind = {.name = "coupling_sums",
                                       .argument_bytes = sizeof(SumsArguments),
                                       .access_min = 3,
                                       .access_max = SINO_TASK_DATA_MANY,
                                       .cpu = sums_cpu};

SinoStatus sino_insert_coupling_sums(SinoRuntime *runtime, SinoPosition position, const SinoCouplingSums *of,
                                     SinoData *total)
{
    const SumsArguments arguments = {of->slices, of->count, of->last_count, of->arrived_count};
    int used = 0;
    SinoAccess *access;
    SINO_TRY(sino_allocate(1 + 2 * of->count + of->arrived_count, sizeof *access, "the data of a task", &access));
    access[used++] = (SinoAccess){total, SINO_WRITE};
    for (int64_t i = 0; i < of->count; i++) {
        access[used++] = (SinoAccess){of->sums[i], SINO_READ};
        access[used++] = (SinoAccess){of->state[i], SINO_READ};
    }
    for (int64_t i = 0; i < of->arrived_count; i++) access[used++] = (SinoAccess){of->arrived[i], SINO_READ};
    SinoStatus status = sino_task_submit(runtime, &sums_kind,
                                         &(SinoTaskRequest){.position = position,
                                                            .arguments = &arguments,
                                                            .argument_bytes = sizeof arguments,
                                                            .access = access,
                                                            .access_count = used,
                                                            SINO_OF_SLICES(of->slices),
                                                            .work = (double)(of->count * of->slices.stride),
                                                            .host = true});
    free(access);
    return status;
}
