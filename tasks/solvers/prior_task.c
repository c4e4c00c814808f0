/* SPDX-License-Identifier: BSD-3-Clause */
/* Task prior: a step down the gradient of a smooth prior of the slices of a minibatch. */
#include "prior_task.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

/* Buffers: the state; z of the partition; u of each partition that has voxels, in the order of the partitions. */
enum { STATE, Z, U };

static SinoStatus prior_cpu(const SinoTask *task)
{
    const SinoSmoothPrior *prior = task->arguments;
    const void **u = NULL;
    int buffer = U;
    SINO_TRY(sino_allocate(prior->tiles.part_count, sizeof *u, "partitions", &u));
    for (int64_t i = 0; i < prior->tiles.part_count; i++)
        u[i] = sino_variation_is_empty(&prior->tiles, i) ? NULL : sino_task_buffer(task, buffer++);
    sino_prior_descend(prior, u, sino_task_buffer(task, STATE), sino_task_buffer(task, Z));
    free(u);
    return NULL;
}

static const SinoTaskKind prior_kind = {.name = "prior",
                                        .argument_bytes = sizeof(SinoSmoothPrior),
                                        .access_min = U + 1,
                                        .access_max = SINO_TASK_DATA_MANY,
                                        .cpu = prior_cpu};

SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoData *const *u, SinoData *state, SinoData *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const int64_t count = tiles->first_tile[tiles->part + 1] - tiles->first_tile[tiles->part];
    int access_count = U;
    SinoAccess *access;
    SINO_TRY(sino_allocate(U + tiles->part_count, sizeof *access, "the data of a task", &access));
    access[STATE] = (SinoAccess){state, SINO_READ};
    access[Z] = (SinoAccess){z, SINO_READ_WRITE};
    for (int64_t i = 0; i < tiles->part_count; i++)
        if (!sino_variation_is_empty(tiles, i)) access[access_count++] = (SinoAccess){u[i], SINO_READ};
    SinoStatus status =
        sino_task_submit(runtime, &prior_kind,
                         &(SinoTaskRequest){.position = position,
                                            .arguments = prior,
                                            .argument_bytes = sizeof *prior,
                                            .access = access,
                                            .access_count = access_count,
                                            SINO_OF_SLICES(tiles->slices),
                                            .work = (double)(count * SINO_TILE_VOXELS * tiles->slices.stride),
                                            .host = true});
    free(access);
    return status;
}
