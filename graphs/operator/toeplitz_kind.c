/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, the kind of operator: AᵀA of a parallel beam as a convolution by FFT (toeplitz.h), and Aᵀ by a nonuniform
 * FFT (gridding.h), without a matrix. It projects nothing, and serves solvers of the normal equations. */
#include "fourier_tasks.h"
#include "memory.h"
#include "tiles_kind.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* SinoTilesOwn.kind. */
typedef struct Own {
    SinoTileNumber *tile; /* of the map; owned */
    SinoToeplitzPlan *normal;
    SinoGriddingPlan *back;
} Own;

static SinoStatus outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    SINO_TRY(sino_tiles_outline(problem, outline));
    outline->device_minibatch = sino_toeplitz_plan_gpu(&problem->geometry).slices;
    return NULL;
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    assert(division->topology.rank_count == 1); /* the solver wants whole slices */
    SINO_TRY(sino_tiles_size(problem, division, worker_count, 0, size));
    size->map_bytes = sino_toeplitz_plan_bytes(&problem->geometry, worker_count) +
                      sino_gridding_plan_bytes(&problem->geometry, worker_count);
    size->building_bytes = sino_toeplitz_building_bytes(&problem->geometry);
    const SinoToeplitzGpu gpu = sino_toeplitz_plan_gpu(&problem->geometry);
    const SinoGriddingGpu back = sino_gridding_plan_gpu(&problem->geometry);
    size->table_bytes = gpu.map_bytes + sino_times(worker_count, gpu.more_scratch_bytes + back.more_scratch_bytes);
    size->product_bytes = sino_larger(gpu.task_bytes, back.task_bytes);
    size->whole_vectors = 2; /* x and AᵀA x */
    return NULL;
}

static SinoStatus open_plans(const SinoOperator *op, Own *own)
{
    const SinoTilesOwn *tiles = op->own;
    const int64_t parts = tiles->decomposition.partition_count;
    SINO_TRY(sino_tiles_map(op, &own->tile));
    const SinoTileMap map = {own->tile, tiles->partition_voxels};
    SINO_TRY(sino_gridding_plan_new(op->runtime, tiles->subset, &map, parts, &own->back));
    return sino_toeplitz_plan_new(op->runtime, tiles->subset, &map, parts, &own->normal);
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    Own *own = NULL;
    SINO_TRY(sino_tiles_open(op, request, 0));
    if (op->idle) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "the operator", &own));
    ((SinoTilesOwn *)op->own)->kind = own;
    return open_plans(op, own);
}

static void close_all(SinoOperator *op)
{
    Own *own = op->own ? ((SinoTilesOwn *)op->own)->kind : NULL;
    if (own) {
        sino_toeplitz_plan_free(own->normal);
        sino_gridding_plan_free(own->back);
        free(own->tile);
        free(own);
    }
    sino_tiles_close(op);
}

static const Own *own_of(const SinoOperatorWork *work)
{
    return ((const SinoTilesOwn *)work->op->own)->kind;
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    return sino_insert_gridding_back(own_of(work)->back, product->position, product->slices, y, x);
}

static SinoStatus normal(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *const *y)
{
    return sino_insert_toeplitz_product(own_of(work)->normal, product->position, product->slices, x, y);
}

static double norm(const SinoOperator *op)
{
    const Own *own = ((const SinoTilesOwn *)op->own)->kind;
    return sino_toeplitz_plan_norm(own->normal);
}

/* An iteration counts two products. */
static double product_flops(const SinoProblem *problem, int64_t slices)
{
    (void)slices;
    return sino_toeplitz_flops(problem->geometry.grid_size) * SINO_TOEPLITZ_FLOPS / 2;
}

static void report(const SinoOperator *op)
{
    const int64_t side = sino_toeplitz_side(op->problem.geometry.grid_size);
    if (op->idle) return;
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: AᵀA is a convolution, by FFTs of %" PRId64 " × %" PRId64 " points; nothing of A is stored",
                  side, side);
}

const SinoOperatorKind sino_toeplitz_kind = {
    SINO_TILES_KIND,
    .name = "toeplitz",
    .projector = SINO_PROJECTOR_TOEPLITZ,
    .kernels = SINO_KERNELS_OF_CUDA,
    .product_flops = product_flops,
    .minibatch = 1,
    .outline = outline,
    .size = size,
    .open = open_all,
    .close = close_all,
    .backproject = backproject,
    .normal = normal,
    .norm = norm,
    .report = report,
};
