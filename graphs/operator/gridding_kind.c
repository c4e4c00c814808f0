/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding, the kind of operator: backprojection by a nonuniform FFT (gridding.h), without a matrix. It projects
 * nothing, and serves methods that only backproject (FBP). */
#include "fourier_tasks.h"
#include "memory.h"
#include "tiles_kind.h"

#include <stdlib.h>

/* SinoTilesOwn.kind. */
typedef struct Own {
    SinoTileNumber *tile; /* of the map; owned */
    SinoGriddingPlan *plan;
} Own;

/* Sums of a slice, while blocks of angles are added to them. */
static SinoExtent grid_of(const SinoProblem *problem)
{
    const int64_t bytes = sino_gridding_sum_bytes(problem->geometry.grid_size);
    const bool adds = problem->block_angles > 0 && sino_operator_adds(&sino_gridding_kind, &problem->geometry);
    return adds ? sino_extent_one(bytes / (int64_t)sizeof(float)) : (SinoExtent){0};
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    SINO_TRY(sino_tiles_size(problem, division, worker_count, 0, size));
    const SinoGriddingGpu gpu = sino_gridding_plan_gpu(&problem->geometry);
    size->map_bytes = sino_gridding_plan_bytes(&problem->geometry, worker_count);
    size->table_bytes = sino_times(worker_count, gpu.more_scratch_bytes);
    size->product_bytes = gpu.task_bytes;
    size->whole_vectors = 1;
    size->shape.extent[SINO_ROWS_GRID] = grid_of(problem);
    if (sino_operator_adds(&sino_gridding_kind, &problem->geometry))
        size->shape.extent[SINO_ROWS_WAITING] = (SinoExtent){0};
    return NULL;
}

static SinoStatus outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    SINO_TRY(sino_tiles_outline(problem, outline));
    outline->device_minibatch = sino_gridding_plan_gpu(&problem->geometry).slices;
    return NULL;
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    Own *own = NULL;
    SINO_TRY(sino_tiles_open(op, request, 0));
    if (op->idle) return NULL;
    op->shape.extent[SINO_ROWS_GRID] = grid_of(&op->problem);
    SinoTilesOwn *tiles = op->own;
    SINO_TRY(sino_allocate(1, sizeof *own, "the operator", &own));
    tiles->kind = own;
    SINO_TRY(sino_tiles_map(op, &own->tile));
    const SinoTileMap map = {own->tile, tiles->partition_voxels};
    return sino_gridding_plan_new(op->runtime, tiles->subset, &map, tiles->decomposition.partition_count, &own->plan);
}

static void close_all(SinoOperator *op)
{
    Own *own = op->own ? ((SinoTilesOwn *)op->own)->kind : NULL;
    if (own) {
        sino_gridding_plan_free(own->plan);
        free(own->tile);
        free(own);
    }
    sino_tiles_close(op);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const Own *own = ((const SinoTilesOwn *)work->op->own)->kind;
    const SinoAngleBlock block = product->block;
    if (block.count == 0) {
        SINO_TRY(sino_insert_gridding_back(own->plan, product->position, product->slices, y, x));
        return sino_tiles_insert_sums(work, product->position, x);
    }
    SINO_TRY(sino_insert_gridding_add(own->plan, product->position, product->slices, block.first, block.count, y,
                                      product->sums));
    if (!block.last) return NULL;
    return sino_insert_gridding_finish(own->plan, product->position, product->slices, product->sums, x);
}

static double product_flops(const SinoProblem *problem, int64_t slices)
{
    (void)slices;
    return sino_gridding_flops(&problem->geometry) * SINO_GRIDDING_FLOPS;
}

static void report(const SinoOperator *op)
{
    if (op->idle) return;
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: backprojection by nonuniform FFT, nothing is stored");
}

const SinoOperatorKind sino_gridding_kind = {
    SINO_TILES_KIND,
    .adds = true,
    .name = "gridding",
    .projector = SINO_PROJECTOR_GRIDDING,
    .kernels = SINO_KERNELS_OF_CUDA,
    .product_flops = product_flops,
    .minibatch = 4,
    .outline = outline,
    .size = size,
    .open = open_all,
    .close = close_all,
    .backproject = backproject,
    .report = report,
};
