/* SPDX-License-Identifier: BSD-3-Clause */
/* Task variation: steps that lower the total variation of the slices of a minibatch. */
#include "variation_task.h"

#include "arithmetic.h"
#include "task.h"
#include "variation.h"

/* Arguments of variation_primal. tiles, neighbours: for devices the tables of tiles and of neighbours. */
typedef struct Primal {
    SinoOperand state, z, u;
    SinoOperandList p, q; /* [partition] */
    SinoOperand tiles, neighbours;
    SinoVariation variation;
} Primal;

/* Arguments of variation_dual. */
typedef struct Dual {
    SinoOperand state, p, q;
    SinoOperandList u; /* [partition] */
    SinoOperand tiles, neighbours;
    SinoVariation variation;
} Dual;

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Primal *of = task->arguments;
    sino_variation_primal(&of->variation, of->z.at, of->p.read, of->q.read, of->state.at, of->u.at);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Dual *of = task->arguments;
    sino_variation_dual(&of->variation, of->u.read, of->state.at, of->p.at, of->q.at);
    return NULL;
}

static SinoStatus primal_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Primal *of = task->arguments;
    SinoVariation variation = of->variation;
    variation.tile = of->tiles.at;
    variation.neighbour = of->neighbours.at;
    return sino_variation_primal_cuda(stream, &variation, of->z.at, of->p.read, of->q.read, of->state.at, of->u.at);
}

static SinoStatus dual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Dual *of = task->arguments;
    SinoVariation variation = of->variation;
    variation.tile = of->tiles.at;
    variation.neighbour = of->neighbours.at;
    return sino_variation_dual_cuda(stream, &variation, of->u.read, of->state.at, of->p.at, of->q.at);
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

int64_t sino_tiles_bytes(const SinoVariation *variation, int vector_count)
{
    const int64_t tiles = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    const int64_t elements = sino_times(tiles * SINO_TILE_VOXELS, variation->slices.stride);
    return sino_times(vector_count * elements, (int64_t)sino_precision_bytes(variation->slices.precision));
}

/* The plan of a device's memory counts the vectors of one partition (device_plan.h). Those of several partitions must
 * fit twice, for this task and the next one. Devices that share the partitions would copy vectors to each other after
 * every half; then cores run them, and only z and u are copied. */
bool sino_tiles_suit_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables,
                             int vector_count)
{
    const int64_t tiles = variation->first_tile[variation->part_count];
    const int64_t elements = sino_times(tiles * SINO_TILE_VOXELS, variation->slices.stride);
    const int64_t bytes =
        sino_times(vector_count * elements, (int64_t)sino_precision_bytes(variation->slices.precision));
    const int64_t room = sino_runtime_device_bytes(runtime);
    int64_t filled = 0;
    for (int64_t i = 0; i < variation->part_count; i++) filled += !sino_variation_is_empty(variation, i);
    if (!tables.tiles || !tables.neighbours || variation->part_count > SINO_VARIATION_CUDA_PARTS) return false;
    if (filled == 1) return true;
    return sino_runtime_device_count(runtime) == 1 && !(sino_runtime_devices(runtime) & SINO_DEVICE_OPENCL) &&
           (room == 0 || 2 * bytes + sino_runtime_device_held(runtime, bytes) <= room);
}

static bool suits_devices(const SinoRuntime *runtime, const SinoVariationTask *task)
{
    enum { STEP_VECTORS = 4 /* z, u, p and q */ };
    return sino_tiles_suit_devices(runtime, &task->variation, task->tables, STEP_VECTORS);
}

static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind, const void *arguments,
                         const SinoVariation *variation, int vector_count, bool for_devices)
{
    const int64_t tiles = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    return SINO_SUBMIT(runtime, kind, position, arguments, SINO_OF_SLICES(variation->slices),
                       .work = (double)(tiles * SINO_TILE_VOXELS * variation->slices.stride),
                       .part_bytes = sino_tiles_bytes(variation, vector_count), .host = !for_devices);
}

SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z)
{
    const SinoVariation *variation = &task->variation;
    const bool for_devices = suits_devices(runtime, task);
    const Primal arguments = {.state.data = task->state,
                              .z.data = z,
                              .u.data = task->u[variation->part], /* beyond the grid it stays as it is */
                              .p = {.data = task->p, .count = variation->part_count},
                              .q = {.data = task->q, .count = variation->part_count},
                              .tiles.data = for_devices ? task->tables.tiles : NULL,
                              .neighbours.data = for_devices ? task->tables.neighbours : NULL,
                              .variation = *variation};
    return submit(runtime, position, &primal_kind, &arguments, variation, 4 /* z, u, p, q */, for_devices);
}

SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task)
{
    const SinoVariation *variation = &task->variation;
    const bool for_devices = suits_devices(runtime, task);
    const Dual arguments = {.state.data = task->state,
                            .p.data = task->p[variation->part],
                            .q.data = task->q[variation->part],
                            .u = {.data = task->u, .count = variation->part_count},
                            .tiles.data = for_devices ? task->tables.tiles : NULL,
                            .neighbours.data = for_devices ? task->tables.neighbours : NULL,
                            .variation = *variation};
    return submit(runtime, position, &dual_kind, &arguments, variation, 3 /* u, p, q */, for_devices);
}
