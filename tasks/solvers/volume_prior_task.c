/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of priors in 3-D. */
#include "volume_prior_task.h"

#include "prior.h"
#include "task.h"
#include "variation.h"

/* before, after: of the slices beside the minibatch. u, p and q of all partitions: [partition]. table: of tiles and of
 * neighbours, for devices. */
typedef struct Primal {
    SinoOperand state, z, u, r, before;
    SinoOperandList p, q;
    SinoOperand table, neighbours;
    SinoVariation tiles;
} Primal;

typedef struct Dual {
    SinoOperand state, p, q, r, after;
    SinoOperandList u;
    SinoOperand table, neighbours;
    SinoVariation tiles;
} Dual;

typedef struct Prior {
    SinoOperand state, z, before, after;
    SinoOperandList u;
    SinoOperand table, neighbours;
    SinoSmoothPrior prior;
} Prior;

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Primal *of = task->arguments;
    sino_variation_primal_volume(&of->tiles, of->z.at, of->p.read, of->q.read, of->r.at, of->before.at, of->state.at,
                                 of->u.at);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Dual *of = task->arguments;
    sino_variation_dual_volume(&of->tiles, of->u.read, of->after.at, of->state.at, of->p.at, of->q.at, of->r.at);
    return NULL;
}

static SinoStatus prior_cpu(const SinoTask *task)
{
    const Prior *of = task->arguments;
    sino_prior_descend_volume(&of->prior, of->u.read, of->before.at, of->after.at, of->state.at, of->z.at);
    return NULL;
}

/* The same with the tables of the device. */
static SinoVariation on_device(const SinoVariation *tiles, const SinoOperand *table, const SinoOperand *neighbours)
{
    SinoVariation result = *tiles;
    result.tile = table->at;
    result.neighbour = neighbours->at;
    return result;
}

static SinoStatus primal_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Primal *of = task->arguments;
    const SinoVariation tiles = on_device(&of->tiles, &of->table, &of->neighbours);
    return sino_variation_primal_volume_cuda(stream, &tiles, of->z.at, of->p.read, of->q.read, of->r.at, of->before.at,
                                             of->state.at, of->u.at);
}

static SinoStatus dual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Dual *of = task->arguments;
    const SinoVariation tiles = on_device(&of->tiles, &of->table, &of->neighbours);
    return sino_variation_dual_volume_cuda(stream, &tiles, of->u.read, of->after.at, of->state.at, of->p.at, of->q.at,
                                           of->r.at);
}

static SinoStatus prior_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Prior *of = task->arguments;
    SinoSmoothPrior prior = of->prior;
    prior.tiles = on_device(&of->prior.tiles, &of->table, &of->neighbours);
    return sino_prior_descend_volume_cuda(stream, &prior, of->u.read, of->before.at, of->after.at, of->state.at,
                                          of->z.at);
}

static const SinoTaskKind primal_kind = {
    .name = "volume_primal",
    SINO_ARGUMENTS(Primal, SINO_READS(Primal, state), SINO_READS(Primal, z), SINO_WRITES(Primal, u),
                   SINO_READS(Primal, r), SINO_MAY_READ(Primal, before), SINO_READS_EACH(Primal, p),
                   SINO_READS_EACH(Primal, q), SINO_MAY_READ(Primal, table), SINO_MAY_READ(Primal, neighbours)),
    SINO_CPU_CUDA(primal)};
static const SinoTaskKind dual_kind = {.name = "volume_dual",
                                       SINO_ARGUMENTS(Dual, SINO_READS(Dual, state), SINO_UPDATES(Dual, p),
                                                      SINO_UPDATES(Dual, q), SINO_UPDATES(Dual, r),
                                                      SINO_MAY_READ(Dual, after), SINO_READS_EACH(Dual, u),
                                                      SINO_MAY_READ(Dual, table), SINO_MAY_READ(Dual, neighbours)),
                                       SINO_CPU_CUDA(dual)};
static const SinoTaskKind prior_kind = {.name = "volume_prior",
                                        SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z),
                                                       SINO_MAY_READ(Prior, before), SINO_MAY_READ(Prior, after),
                                                       SINO_READS_EACH(Prior, u), SINO_MAY_READ(Prior, table),
                                                       SINO_MAY_READ(Prior, neighbours)),
                                        SINO_CPU_CUDA(prior)};

bool sino_volume_prior_suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables)
{
    enum { VECTORS = 5 /* z, u, p, q and r */ };
    return sino_tiles_suit_devices(runtime, variation, tables, VECTORS);
}

/* The tables where devices may run a task; without tables cores run it. */
static SinoTileTables choose(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables)
{
    return sino_volume_prior_suits_devices(runtime, variation, tables) ? tables : (SinoTileTables){.tiles = NULL};
}

static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind, const void *arguments,
                         const SinoVariation *tiles, int vector_count, SinoTileTables tables)
{
    const int64_t count = tiles->first_tile[tiles->part + 1] - tiles->first_tile[tiles->part];
    return SINO_SUBMIT(runtime, kind, position, arguments, SINO_OF_SLICES(tiles->slices),
                       .work = (double)(count * SINO_TILE_VOXELS * tiles->slices.stride),
                       .part_bytes = sino_tiles_bytes(tiles, vector_count), .host = !tables.tiles);
}

SinoStatus sino_insert_volume_primal(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                     SinoData *z, SinoData *before)
{
    const SinoVariation *tiles = &task->variation;
    const SinoTileTables tables = choose(runtime, tiles, task->tables);
    const Primal arguments = {.state.data = task->state,
                              .z.data = z,
                              .u.data = task->u[tiles->part],
                              .r.data = task->r[tiles->part],
                              .before.data = before,
                              .p = {.data = task->p, .count = tiles->part_count},
                              .q = {.data = task->q, .count = tiles->part_count},
                              .table.data = tables.tiles,
                              .neighbours.data = tables.neighbours,
                              .tiles = *tiles};
    return submit(runtime, position, &primal_kind, &arguments, tiles, 5 /* z, u, p, q, r */, tables);
}

SinoStatus sino_insert_volume_dual(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                   SinoData *after)
{
    const SinoVariation *tiles = &task->variation;
    const SinoTileTables tables = choose(runtime, tiles, task->tables);
    const Dual arguments = {.state.data = task->state,
                            .p.data = task->p[tiles->part],
                            .q.data = task->q[tiles->part],
                            .r.data = task->r[tiles->part],
                            .after.data = after,
                            .u = {.data = task->u, .count = tiles->part_count},
                            .table.data = tables.tiles,
                            .neighbours.data = tables.neighbours,
                            .tiles = *tiles};
    return submit(runtime, position, &dual_kind, &arguments, tiles, 4 /* u, p, q, r */, tables);
}

SinoStatus sino_insert_volume_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                                    SinoTileTables given, SinoData *const *u, SinoData *before, SinoData *after,
                                    SinoData *state, SinoData *z)
{
    const SinoTileTables tables = choose(runtime, &prior->tiles, given);
    const Prior arguments = {.state.data = state,
                             .z.data = z,
                             .before.data = before,
                             .after.data = after,
                             .u = {.data = u, .count = prior->tiles.part_count},
                             .table.data = tables.tiles,
                             .neighbours.data = tables.neighbours,
                             .prior = *prior};
    return submit(runtime, position, &prior_kind, &arguments, &prior->tiles, 2 /* u, z */, tables);
}
