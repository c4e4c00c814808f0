/* SPDX-License-Identifier: BSD-3-Clause */
/* Task prior: a step down the gradient of a smooth prior of the slices of a minibatch. */
#include "prior_task.h"

#include "task.h"

typedef struct Prior {
    SinoOperand state, z;
    SinoOperandList u; /* [partition] */
    SinoSmoothPrior prior;
} Prior;

static SinoStatus prior_cpu(const SinoTask *task)
{
    const Prior *of = task->arguments;
    sino_prior_descend(&of->prior, of->u.read, of->state.at, of->z.at);
    return NULL;
}

static const SinoTaskKind prior_kind = {
    .name = "prior",
    SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z), SINO_READS_EACH(Prior, u)),
    .cpu = prior_cpu};

SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoData *const *u, SinoData *state, SinoData *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const int64_t count = tiles->first_tile[tiles->part + 1] - tiles->first_tile[tiles->part];
    const Prior arguments = {
        .state.data = state, .z.data = z, .u = {.data = u, .count = tiles->part_count}, .prior = *prior};
    return SINO_SUBMIT(runtime, &prior_kind, position, &arguments, SINO_OF_SLICES(tiles->slices),
                       .work = (double)(count * SINO_TILE_VOXELS * tiles->slices.stride), .host = true);
}
