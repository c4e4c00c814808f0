/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the priors of a minibatch's slices, in 2-D and in 3-D. */
#include "solvers_tasks.h"

#include "arithmetic.h"
#include "task.h"

/* p, q and u that are lists: [partition]. r, before and after: in 3-D. tiles, neighbours: for devices the tables of
 * tiles and of neighbours. */
typedef struct Primal {
    SinoOperand state, z, u, r, before;
    SinoOperandList p, q;
    SinoOperand tiles, neighbours;
    SinoVariation variation;
} Primal;

typedef struct Dual {
    SinoOperand state, p, q, r, after;
    SinoOperandList u;
    SinoOperand tiles, neighbours;
    SinoVariation variation;
} Dual;

typedef struct Prior {
    SinoOperand state, z, before, after;
    SinoOperandList u;
    SinoOperand tiles, neighbours;
    SinoSmoothPrior prior;
} Prior;

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Primal *of = task->arguments;
    sino_variation_primal(&of->variation, of->z.at, of->p.read, of->q.read, of->r.at, of->before.at, of->state.at,
                          of->u.at);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Dual *of = task->arguments;
    sino_variation_dual(&of->variation, of->u.read, of->after.at, of->state.at, of->p.at, of->q.at, of->r.at);
    return NULL;
}

static SinoStatus prior_cpu(const SinoTask *task)
{
    const Prior *of = task->arguments;
    sino_prior_descend(&of->prior, of->u.read, of->before.at, of->after.at, of->state.at, of->z.at);
    return NULL;
}

/* The same with the tables of the device. */
static SinoVariation on_device(const SinoVariation *variation, const SinoOperand *tiles, const SinoOperand *neighbours)
{
    SinoVariation result = *variation;
    result.tile = tiles->at;
    result.neighbour = neighbours->at;
    return result;
}

static SinoStatus primal_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Primal *of = task->arguments;
    const SinoVariation variation = on_device(&of->variation, &of->tiles, &of->neighbours);
    return sino_variation_primal_cuda(stream, &variation, of->z.at, of->p.read, of->q.read, of->r.at, of->before.at,
                                      of->state.at, of->u.at);
}

static SinoStatus dual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Dual *of = task->arguments;
    const SinoVariation variation = on_device(&of->variation, &of->tiles, &of->neighbours);
    return sino_variation_dual_cuda(stream, &variation, of->u.read, of->after.at, of->state.at, of->p.at, of->q.at,
                                    of->r.at);
}

static SinoStatus prior_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Prior *of = task->arguments;
    SinoSmoothPrior prior = of->prior;
    prior.tiles = on_device(&of->prior.tiles, &of->tiles, &of->neighbours);
    return sino_prior_descend_cuda(stream, &prior, of->u.read, of->before.at, of->after.at, of->state.at, of->z.at);
}

/* On OpenCL devices one partition has all tiles (suits_devices): that of the task. */
static SinoStatus primal_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Primal *of = task->arguments;
    const int64_t part = of->variation.part;
    return sino_variation_primal_opencl(opencl, &of->variation, of->tiles.opencl, of->neighbours.opencl, of->z.opencl,
                                        of->p.opencl[part], of->q.opencl[part], of->state.opencl, of->u.opencl);
}

static SinoStatus dual_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Dual *of = task->arguments;
    return sino_variation_dual_opencl(opencl, &of->variation, of->tiles.opencl, of->neighbours.opencl,
                                      of->u.opencl[of->variation.part], of->state.opencl, of->p.opencl, of->q.opencl);
}

/* Of u that is updated, what lies beyond the grid stays as it is. */
static const SinoTaskKind primal_kind = {.name = "variation_primal",
                                         SINO_ARGUMENTS(Primal, SINO_READS(Primal, state), SINO_READS(Primal, z),
                                                        SINO_UPDATES(Primal, u), SINO_READS_EACH(Primal, p),
                                                        SINO_READS_EACH(Primal, q), SINO_MAY_READ(Primal, tiles),
                                                        SINO_MAY_READ(Primal, neighbours)),
                                         SINO_CPU_CUDA_OPENCL(primal)};
static const SinoTaskKind dual_kind = {.name = "variation_dual",
                                       SINO_ARGUMENTS(Dual, SINO_READS(Dual, state), SINO_UPDATES(Dual, p),
                                                      SINO_UPDATES(Dual, q), SINO_READS_EACH(Dual, u),
                                                      SINO_MAY_READ(Dual, tiles), SINO_MAY_READ(Dual, neighbours)),
                                       SINO_CPU_CUDA_OPENCL(dual)};
static const SinoTaskKind prior_kind = {.name = "prior",
                                        SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z),
                                                       SINO_READS_EACH(Prior, u), SINO_MAY_READ(Prior, tiles),
                                                       SINO_MAY_READ(Prior, neighbours)),
                                        SINO_CPU_CUDA(prior)};
static const SinoTaskKind volume_primal_kind = {
    .name = "volume_primal",
    SINO_ARGUMENTS(Primal, SINO_READS(Primal, state), SINO_READS(Primal, z), SINO_WRITES(Primal, u),
                   SINO_READS(Primal, r), SINO_MAY_READ(Primal, before), SINO_READS_EACH(Primal, p),
                   SINO_READS_EACH(Primal, q), SINO_MAY_READ(Primal, tiles), SINO_MAY_READ(Primal, neighbours)),
    SINO_CPU_CUDA(primal)};
static const SinoTaskKind volume_dual_kind = {
    .name = "volume_dual",
    SINO_ARGUMENTS(Dual, SINO_READS(Dual, state), SINO_UPDATES(Dual, p), SINO_UPDATES(Dual, q), SINO_UPDATES(Dual, r),
                   SINO_MAY_READ(Dual, after), SINO_READS_EACH(Dual, u), SINO_MAY_READ(Dual, tiles),
                   SINO_MAY_READ(Dual, neighbours)),
    SINO_CPU_CUDA(dual)};
static const SinoTaskKind volume_prior_kind = {.name = "volume_prior",
                                               SINO_ARGUMENTS(Prior, SINO_READS(Prior, state), SINO_UPDATES(Prior, z),
                                                              SINO_MAY_READ(Prior, before), SINO_MAY_READ(Prior, after),
                                                              SINO_READS_EACH(Prior, u), SINO_MAY_READ(Prior, tiles),
                                                              SINO_MAY_READ(Prior, neighbours)),
                                               SINO_CPU_CUDA(prior)};

static int64_t elements_of(const SinoVariation *variation, int64_t first_tile, int64_t end_tile)
{
    return sino_times((end_tile - first_tile) * SINO_TILE_VOXELS, variation->slices.stride);
}

/* The plan of a device's memory counts the vectors of one partition (resources.h). Those of several partitions, of
 * which a step has this many, and scratch memory must fit twice, for this task and the next one. Devices that share the
 * partitions would copy vectors to each other after every half; then cores run them, and only z and u are copied. */
static bool suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables,
                          int vector_count, int64_t scratch_bytes)
{
    const int64_t elements = elements_of(variation, 0, variation->first_tile[variation->part_count]);
    const int64_t bytes =
        scratch_bytes + sino_times(vector_count * elements, (int64_t)sino_precision_bytes(variation->slices.precision));
    const int64_t room = sino_runtime_device_bytes(runtime);
    int64_t filled = 0;
    for (int64_t i = 0; i < variation->part_count; i++) filled += !sino_variation_is_empty(variation, i);
    if (!tables.tiles || !tables.neighbours || variation->part_count > SINO_VARIATION_CUDA_PARTS) return false;
    const bool fits = room == 0 || 2 * bytes + sino_runtime_device_held(runtime, bytes) <= room;
    if (filled == 1) return fits || scratch_bytes == 0;
    return fits && sino_runtime_device_count(runtime) == 1 && !(sino_runtime_devices(runtime) & SINO_DEVICE_OPENCL);
}

/* Vectors of a step: in 2-D of total variation and of a smooth prior, and of both in 3-D. */
enum { VARIATION_VECTORS = 4 /* z, u, p, q */, PRIOR_VECTORS = 2 /* z, u */, VOLUME_VECTORS = 5 /* z, u, p, q, r */ };

bool sino_volume_prior_suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables)
{
    return suits_devices(runtime, variation, tables, VOLUME_VECTORS, 0);
}

SinoTileTables sino_tile_tables_choose(const SinoRuntime *runtime, const SinoVariation *variation,
                                       SinoTileTables tables, int vector_count, int64_t scratch_bytes)
{
    const bool suits = suits_devices(runtime, variation, tables, vector_count, scratch_bytes);
    return suits ? tables : (SinoTileTables){.tiles = NULL};
}

/* vector_count: of the partition; of those of others a task reads the borders alone. */
static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind, const void *arguments,
                         const SinoVariation *variation, int vector_count, SinoTileTables tables)
{
    const int64_t elements =
        elements_of(variation, variation->first_tile[variation->part], variation->first_tile[variation->part + 1]);
    const int64_t real_bytes = (int64_t)sino_precision_bytes(variation->slices.precision);
    return SINO_SUBMIT(runtime, kind, position, arguments, SINO_OF_SLICES(variation->slices), .work = (double)elements,
                       .part_bytes = sino_times(vector_count * elements, real_bytes), .host = !tables.tiles);
}

SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z, SinoData *before)
{
    const SinoVariation *variation = &task->variation;
    const int vectors = task->r ? VOLUME_VECTORS : VARIATION_VECTORS;
    const SinoTileTables tables = sino_tile_tables_choose(runtime, variation, task->tables, vectors, 0);
    const Primal arguments = {.state.data = task->state,
                              .z.data = z,
                              .u.data = task->u[variation->part],
                              .r.data = task->r ? task->r[variation->part] : NULL,
                              .before.data = before,
                              .p = {.data = task->p, .count = variation->part_count},
                              .q = {.data = task->q, .count = variation->part_count},
                              .tiles.data = tables.tiles,
                              .neighbours.data = tables.neighbours,
                              .variation = *variation};
    return submit(runtime, position, task->r ? &volume_primal_kind : &primal_kind, &arguments, variation, vectors,
                  tables);
}

SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                      SinoData *after)
{
    const SinoVariation *variation = &task->variation;
    const int vectors = task->r ? VOLUME_VECTORS : VARIATION_VECTORS;
    const SinoTileTables tables = sino_tile_tables_choose(runtime, variation, task->tables, vectors, 0);
    const Dual arguments = {.state.data = task->state,
                            .p.data = task->p[variation->part],
                            .q.data = task->q[variation->part],
                            .r.data = task->r ? task->r[variation->part] : NULL,
                            .after.data = after,
                            .u = {.data = task->u, .count = variation->part_count},
                            .tiles.data = tables.tiles,
                            .neighbours.data = tables.neighbours,
                            .variation = *variation};
    return submit(runtime, position, task->r ? &volume_dual_kind : &dual_kind, &arguments, variation,
                  vectors - 1 /* all but z */, tables);
}

SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoTileTables given, SinoData *const *u, SinoData *before, SinoData *after,
                             SinoData *state, SinoData *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const SinoTileTables tables =
        sino_tile_tables_choose(runtime, tiles, given, prior->volume ? VOLUME_VECTORS : PRIOR_VECTORS, 0);
    const Prior arguments = {.state.data = state,
                             .z.data = z,
                             .before.data = before,
                             .after.data = after,
                             .u = {.data = u, .count = tiles->part_count},
                             .tiles.data = tables.tiles,
                             .neighbours.data = tables.neighbours,
                             .prior = *prior};
    return submit(runtime, position, prior->volume ? &volume_prior_kind : &prior_kind, &arguments, tiles, PRIOR_VECTORS,
                  tables);
}
