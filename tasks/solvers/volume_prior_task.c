/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of priors in 3-D. */
#include "volume_prior_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

/* Buffers: the state; up to three that are read or written for the partition itself; the slices beside that there are;
 * then one or two of each partition that has voxels, in the order of the partitions. */
typedef struct Arguments {
    SinoSmoothPrior prior; /* of variation only `tiles` is set */
    bool before, after;    /* there is such a slice */
} Arguments;

enum { STATE, OWN, BESIDE_MOST = 2 };

/* What a function takes from the buffers. */
typedef struct Buffers {
    const void *before, *after; /* NULL: none */
    const void **vector;        /* [vectors][part_count]; owned */
} Buffers;

/* own: buffers of the partition itself, of vectors of all partitions there are `vectors`. */
static SinoStatus take_buffers(const SinoTask *task, int own, int64_t vectors, Buffers *buffers)
{
    const Arguments *arguments = task->arguments;
    const SinoVariation *tiles = &arguments->prior.tiles;
    int next = OWN + own;
    *buffers = (Buffers){0};
    SINO_TRY(
        sino_allocate(sino_times(vectors, tiles->part_count), sizeof *buffers->vector, "partitions", &buffers->vector));
    if (arguments->before) buffers->before = sino_task_buffer(task, next++);
    if (arguments->after) buffers->after = sino_task_buffer(task, next++);
    for (int64_t i = 0; i < vectors * tiles->part_count; i++)
        if (!sino_variation_is_empty(tiles, i % tiles->part_count)) buffers->vector[i] = sino_task_buffer(task, next++);
    return NULL;
}

static SinoStatus primal_cpu(const SinoTask *task)
{
    enum { Z = OWN, U, R };
    const SinoVariation *tiles = &((const Arguments *)task->arguments)->prior.tiles;
    Buffers of;
    SINO_TRY(take_buffers(task, 3, 2, &of));
    sino_variation_primal_volume(tiles, sino_task_buffer(task, Z), of.vector, of.vector + tiles->part_count,
                                 sino_task_buffer(task, R), of.before, sino_task_buffer(task, STATE),
                                 sino_task_buffer(task, U));
    free(of.vector);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    enum { P = OWN, Q, R };
    Buffers of;
    SINO_TRY(take_buffers(task, 3, 1, &of));
    sino_variation_dual_volume(&((const Arguments *)task->arguments)->prior.tiles, of.vector, of.after,
                               sino_task_buffer(task, STATE), sino_task_buffer(task, P), sino_task_buffer(task, Q),
                               sino_task_buffer(task, R));
    free(of.vector);
    return NULL;
}

static SinoStatus prior_cpu(const SinoTask *task)
{
    Buffers of;
    SINO_TRY(take_buffers(task, 1, 1, &of));
    sino_prior_descend_volume(&((const Arguments *)task->arguments)->prior, of.vector, of.before, of.after,
                              sino_task_buffer(task, STATE), sino_task_buffer(task, OWN));
    free(of.vector);
    return NULL;
}

#define KIND(task, function)                                                                                           \
    {                                                                                                                  \
        .name = task, .argument_bytes = sizeof(Arguments), .access_min = OWN + 2, .access_max = SINO_TASK_DATA_MANY,   \
        .cpu = function                                                                                                \
    }
static const SinoTaskKind primal_kind = KIND("volume_primal", primal_cpu);
static const SinoTaskKind dual_kind = KIND("volume_dual", dual_cpu);
static const SinoTaskKind prior_kind = KIND("volume_prior", prior_cpu);
#undef KIND

/* own[own_count]: accesses after the state. vector[vectors]: of all partitions, which are read. */
static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind,
                         const Arguments *arguments, SinoData *state, int own_count, const SinoAccess *own,
                         SinoData *const beside[BESIDE_MOST], int64_t vectors, SinoData *const *const *vector)
{
    const SinoVariation *tiles = &arguments->prior.tiles;
    const int64_t count = tiles->first_tile[tiles->part + 1] - tiles->first_tile[tiles->part];
    int used = 0;
    SinoAccess *access;
    SINO_TRY(sino_allocate(OWN + own_count + BESIDE_MOST + sino_times(vectors, tiles->part_count), sizeof *access,
                           "the data of a task", &access));
    access[used++] = (SinoAccess){state, SINO_READ};
    for (int i = 0; i < own_count; i++) access[used++] = own[i];
    for (int i = 0; i < BESIDE_MOST; i++)
        if (beside[i]) access[used++] = (SinoAccess){beside[i], SINO_READ};
    for (int64_t i = 0; i < vectors * tiles->part_count; i++)
        if (!sino_variation_is_empty(tiles, i % tiles->part_count))
            access[used++] = (SinoAccess){vector[i / tiles->part_count][i % tiles->part_count], SINO_READ};
    SinoStatus status =
        sino_task_submit(runtime, kind,
                         &(SinoTaskRequest){.position = position,
                                            .arguments = arguments,
                                            .argument_bytes = sizeof *arguments,
                                            .access = access,
                                            .access_count = used,
                                            SINO_OF_SLICES(tiles->slices),
                                            .work = (double)(count * SINO_TILE_VOXELS * tiles->slices.stride),
                                            .host = true});
    free(access);
    return status;
}

SinoStatus sino_insert_volume_primal(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                     SinoData *z, SinoData *before)
{
    const int64_t part = task->variation.part;
    const Arguments arguments = {.prior.tiles = task->variation, .before = before != NULL};
    const SinoAccess own[] = {{z, SINO_READ}, {task->u[part], SINO_WRITE}, {task->r[part], SINO_READ}};
    return submit(runtime, position, &primal_kind, &arguments, task->state, 3, own, (SinoData *[]){before, NULL}, 2,
                  (SinoData *const *[]){task->p, task->q});
}

SinoStatus sino_insert_volume_dual(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                   SinoData *after)
{
    const int64_t part = task->variation.part;
    const Arguments arguments = {.prior.tiles = task->variation, .after = after != NULL};
    const SinoAccess own[] = {
        {task->p[part], SINO_READ_WRITE}, {task->q[part], SINO_READ_WRITE}, {task->r[part], SINO_READ_WRITE}};
    return submit(runtime, position, &dual_kind, &arguments, task->state, 3, own, (SinoData *[]){NULL, after}, 1,
                  &task->u);
}

SinoStatus sino_insert_volume_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                                    SinoData *const *u, SinoData *before, SinoData *after, SinoData *state, SinoData *z)
{
    const Arguments arguments = {.prior = *prior, .before = before != NULL, .after = after != NULL};
    const SinoAccess own[] = {{z, SINO_READ_WRITE}};
    return submit(runtime, position, &prior_kind, &arguments, state, 1, own, (SinoData *[]){before, after}, 1, &u);
}
