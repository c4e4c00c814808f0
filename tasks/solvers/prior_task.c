/* SPDX-License-Identifier: BSD-3-Clause */
/* Task prior: a step down the gradient of a smooth prior of the slices of a minibatch. */
#include "prior_task.h"

#include "prior.h"
#include "task.h"

typedef struct Prior {
    SinoOperand state, z;
    SinoOperandList u; /* [partition] */
    SinoOperand tiles, neighbours;
    SinoSmoothPrior prior;
} Prior;

static SinoStatus prior_cpu(const SinoTask *task)
{
    const Prior *of = task->arguments;
    sino_prior_descend(&of->prior, of->u.read, of->state.at, of->z.at);
    return NULL;
}

static SinoStatus prior_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Prior *of = task->arguments;
    SinoSmoothPrior prior = of->prior;
    prior.tiles.tile = of->tiles.at;
    prior.tiles.neighbour = of->neighbours.at;
    return sino_prior_descend_cuda(stream, &prior, of->u.read, of->state.at, of->z.at);
}

static const SinoTaskKind prior_kind = {.name = "prior",
                                        SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z),
                                                       SINO_READS_EACH(Prior, u), SINO_MAY_READ(Prior, tiles),
                                                       SINO_MAY_READ(Prior, neighbours)),
                                        SINO_CPU_CUDA(prior)};

SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoTileTables tables, SinoData *const *u, SinoData *state, SinoData *z)
{
    enum { VECTORS = 2 /* u and z */ };
    const SinoVariation *tiles = &prior->tiles;
    const int64_t count = tiles->first_tile[tiles->part + 1] - tiles->first_tile[tiles->part];
    const bool for_devices = sino_tiles_suit_devices(runtime, tiles, tables, VECTORS);
    const Prior arguments = {.state.data = state,
                             .z.data = z,
                             .u = {.data = u, .count = tiles->part_count},
                             .tiles.data = for_devices ? tables.tiles : NULL,
                             .neighbours.data = for_devices ? tables.neighbours : NULL,
                             .prior = *prior};
    return SINO_SUBMIT(runtime, &prior_kind, position, &arguments, SINO_OF_SLICES(tiles->slices),
                       .work = (double)(count * SINO_TILE_VOXELS * tiles->slices.stride),
                       .part_bytes = sino_tiles_bytes(tiles, VECTORS), .host = !for_devices);
}
