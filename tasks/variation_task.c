/* SPDX-License-Identifier: BSD-3-Clause */
/* Task variation: steps that lower the total variation of the slices of a minibatch. */
#include "variation_task.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

/* Buffers: the state; one that is read or written for the partition itself, or two; then one or two of each partition
 * that has voxels, in the order of the partitions. */
typedef struct Arguments {
    SinoVariation variation;
} Arguments;

enum { STATE, OWN };

static bool is_empty(const SinoVariation *variation, int64_t part)
{
    return variation->first_tile[part] == variation->first_tile[part + 1];
}

/* The buffers of a vector of all partitions, from buffer `first` on; returns the number of the buffer after them. */
static int buffers_of(const SinoTask *task, const SinoVariation *variation, int first, const void **vector)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        vector[i] = is_empty(variation, i) ? NULL : sino_task_buffer(task, first++);
    return first;
}

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoVariation *variation = &arguments->variation;
    const void **vector = NULL;
    SINO_TRY(sino_allocate(2 * variation->part_count, sizeof *vector, "partitions", &vector));
    const int next = buffers_of(task, variation, OWN + 2, vector);
    (void)buffers_of(task, variation, next, vector + variation->part_count);
    sino_variation_primal(variation, sino_task_buffer(task, OWN), vector, vector + variation->part_count,
                          sino_task_buffer(task, STATE), sino_task_buffer(task, OWN + 1));
    free(vector);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoVariation *variation = &arguments->variation;
    const void **vector = NULL;
    SINO_TRY(sino_allocate(variation->part_count, sizeof *vector, "partitions", &vector));
    (void)buffers_of(task, variation, OWN + 2, vector);
    sino_variation_dual(variation, vector, sino_task_buffer(task, STATE), sino_task_buffer(task, OWN),
                        sino_task_buffer(task, OWN + 1));
    free(vector);
    return NULL;
}

static const SinoTaskKind primal_kind = {.name = "variation_primal",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = OWN + 4,
                                         .access_max = SINO_TASK_DATA_MANY,
                                         .cpu = primal_cpu};
static const SinoTaskKind dual_kind = {.name = "variation_dual",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = OWN + 3,
                                       .access_max = SINO_TASK_DATA_MANY,
                                       .cpu = dual_cpu};

/* Appends the partitions' vectors to the accesses, and returns the number of accesses. */
static int append(const SinoVariation *variation, SinoData *const *vector, int count, SinoAccess *access)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        if (!is_empty(variation, i)) access[count++] = (SinoAccess){vector[i], SINO_READ};
    return count;
}

static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind,
                         const SinoVariation *variation, const SinoAccess *access, int count)
{
    const int64_t tiles = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    const Arguments arguments = {*variation};
    const SinoTaskRequest request = {.position = position,
                                     .arguments = &arguments,
                                     .argument_bytes = sizeof arguments,
                                     .access = access,
                                     .access_count = count,
                                     SINO_OF_SLICES(variation->slices),
                                     .work = (double)(tiles * SINO_TILE_VOXELS * variation->slices.stride)};
    return sino_task_submit(runtime, kind, &request);
}

SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z)
{
    const SinoVariation *variation = &task->variation;
    SinoAccess *access;
    SINO_TRY(sino_allocate(OWN + 2 + 2 * variation->part_count, sizeof *access, "the data of a task", &access));
    access[STATE] = (SinoAccess){task->state, SINO_READ};
    access[OWN] = (SinoAccess){z, SINO_READ};
    access[OWN + 1] = (SinoAccess){task->u[variation->part], SINO_WRITE};
    int count = append(variation, task->p, OWN + 2, access);
    count = append(variation, task->q, count, access);
    SinoStatus status = submit(runtime, position, &primal_kind, variation, access, count);
    free(access);
    return status;
}

SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task)
{
    const SinoVariation *variation = &task->variation;
    SinoAccess *access;
    SINO_TRY(sino_allocate(OWN + 2 + variation->part_count, sizeof *access, "the data of a task", &access));
    access[STATE] = (SinoAccess){task->state, SINO_READ};
    access[OWN] = (SinoAccess){task->p[variation->part], SINO_READ_WRITE};
    access[OWN + 1] = (SinoAccess){task->q[variation->part], SINO_READ_WRITE};
    const int count = append(variation, task->u, OWN + 2, access);
    SinoStatus status = submit(runtime, position, &dual_kind, variation, access, count);
    free(access);
    return status;
}
