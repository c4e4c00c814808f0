/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding and Toeplitz, the kinds of operator by FFTs, without a matrix. They project nothing. Gridding backprojects
 * by a nonuniform FFT (gridding.h), and serves methods that only backproject (FBP). Toeplitz has AᵀA as a convolution
 * (toeplitz.h), too, and serves solvers of the normal equations. */
#include "fourier_tasks.h"
#include "memory.h"
#include "tiles_kind.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* SinoTilesOwn.kind. */
typedef struct Own {
    SinoTileNumber *tile; /* of the map; owned */
    SinoGriddingPlan *back;
    SinoToeplitzPlan *normal; /* NULL: of gridding */
} Own;

static Own *own_of(const SinoOperator *op)
{
    return ((const SinoTilesOwn *)op->own)->kind;
}

static SinoTileMap map_of(const SinoOperator *op)
{
    return (SinoTileMap){own_of(op)->tile, ((const SinoTilesOwn *)op->own)->partition_voxels};
}

static SinoStatus open_back(SinoOperator *op, const SinoOperatorRequest *request)
{
    Own *own = NULL;
    SINO_TRY(sino_tiles_open(op, request, 0));
    if (op->idle) return NULL;
    SinoTilesOwn *tiles = op->own;
    SINO_TRY(sino_allocate(1, sizeof *own, "the operator", &own));
    tiles->kind = own;
    SINO_TRY(sino_tiles_map(op, &own->tile));
    const SinoTileMap map = map_of(op);
    return sino_gridding_plan_new(op->runtime, tiles->subset, &map, tiles->decomposition.partition_count, &own->back);
}

static void close_all(SinoOperator *op)
{
    Own *own = op->own ? own_of(op) : NULL;
    if (own) {
        sino_toeplitz_plan_free(own->normal);
        sino_gridding_plan_free(own->back);
        free(own->tile);
        free(own);
    }
    sino_tiles_close(op);
}

/* Sums of a slice, while blocks of angles are added to them. */
static SinoExtent grid_of(const SinoProblem *problem)
{
    const int64_t bytes = sino_gridding_sum_bytes(problem->geometry.grid_size);
    const bool adds = problem->block_angles > 0 && sino_operator_adds(&sino_gridding_kind, &problem->geometry);
    return adds ? sino_extent_one(bytes / (int64_t)sizeof(float)) : (SinoExtent){0};
}

static SinoStatus gridding_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                                SinoOperatorSize *size)
{
    SINO_TRY(sino_tiles_size(problem, division, worker_count, 0, size));
    const SinoFourierGpu gpu = sino_gridding_plan_gpu(&problem->geometry);
    size->map_bytes = sino_gridding_plan_bytes(&problem->geometry, worker_count);
    size->table_bytes = sino_times(worker_count, gpu.more_scratch_bytes);
    size->product_bytes = gpu.task_bytes;
    size->whole_vectors = 1;
    size->shape.extent[SINO_ROWS_GRID] = grid_of(problem);
    if (sino_operator_adds(&sino_gridding_kind, &problem->geometry))
        size->shape.extent[SINO_ROWS_WAITING] = (SinoExtent){0};
    return NULL;
}

static SinoStatus gridding_outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    SINO_TRY(sino_tiles_outline(problem, outline));
    outline->device_minibatch = sino_gridding_plan_gpu(&problem->geometry).slices;
    return NULL;
}

static SinoStatus gridding_open(SinoOperator *op, const SinoOperatorRequest *request)
{
    SINO_TRY(open_back(op, request));
    if (!op->idle) op->shape.extent[SINO_ROWS_GRID] = grid_of(&op->problem);
    return NULL;
}

static SinoStatus gridding_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y,
                                       SinoData *const *x)
{
    const Own *own = own_of(work->op);
    const SinoAngleBlock block = product->block;
    if (block.count == 0) {
        SINO_TRY(sino_insert_gridding_back(own->back, product->position, product->slices, y, x));
        return sino_tiles_insert_sums(work, product->position, x);
    }
    SINO_TRY(sino_insert_gridding_add(own->back, product->position, product->slices, block.first, block.count, y,
                                      product->sums));
    if (!block.last) return NULL;
    return sino_insert_gridding_finish(own->back, product->position, product->slices, product->sums, x);
}

static double gridding_flops(const SinoProblem *problem, int64_t slices)
{
    (void)slices;
    return sino_gridding_flops(&problem->geometry) * SINO_GRIDDING_FLOPS;
}

static void gridding_report(const SinoOperator *op)
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
    .product_flops = gridding_flops,
    .minibatch = 4,
    .outline = gridding_outline,
    .size = gridding_size,
    .open = gridding_open,
    .close = close_all,
    .backproject = gridding_backproject,
    .report = gridding_report,
};

static SinoStatus toeplitz_outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    SINO_TRY(sino_tiles_outline(problem, outline));
    outline->device_minibatch = sino_toeplitz_plan_gpu(&problem->geometry).slices;
    return NULL;
}

static SinoStatus toeplitz_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                                SinoOperatorSize *size)
{
    assert(division->topology.rank_count == 1); /* the solver wants whole slices */
    SINO_TRY(sino_tiles_size(problem, division, worker_count, 0, size));
    size->map_bytes = sino_toeplitz_plan_bytes(&problem->geometry, worker_count) +
                      sino_gridding_plan_bytes(&problem->geometry, worker_count);
    size->building_bytes = sino_toeplitz_building_bytes(&problem->geometry);
    const SinoFourierGpu gpu = sino_toeplitz_plan_gpu(&problem->geometry);
    const SinoFourierGpu back = sino_gridding_plan_gpu(&problem->geometry);
    size->table_bytes = gpu.map_bytes + sino_times(worker_count, gpu.more_scratch_bytes + back.more_scratch_bytes);
    size->product_bytes = sino_larger(gpu.task_bytes, back.task_bytes);
    size->whole_vectors = 2; /* x and AᵀA x */
    return NULL;
}

static SinoStatus toeplitz_open(SinoOperator *op, const SinoOperatorRequest *request)
{
    SINO_TRY(open_back(op, request));
    if (op->idle) return NULL;
    const SinoTilesOwn *tiles = op->own;
    const SinoTileMap map = map_of(op);
    return sino_toeplitz_plan_new(op->runtime, tiles->subset, &map, tiles->decomposition.partition_count,
                                  &own_of(op)->normal);
}

static SinoStatus toeplitz_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y,
                                       SinoData *const *x)
{
    return sino_insert_gridding_back(own_of(work->op)->back, product->position, product->slices, y, x);
}

static SinoStatus normal(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *const *y)
{
    return sino_insert_toeplitz_product(own_of(work->op)->normal, product->position, product->slices, x, y);
}

static double norm(const SinoOperator *op)
{
    return sino_toeplitz_plan_norm(own_of(op)->normal);
}

/* An iteration counts two products. */
static double toeplitz_flops(const SinoProblem *problem, int64_t slices)
{
    (void)slices;
    return sino_toeplitz_flops(problem->geometry.grid_size) * SINO_TOEPLITZ_FLOPS / 2;
}

static void toeplitz_report(const SinoOperator *op)
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
    .product_flops = toeplitz_flops,
    .minibatch = 1,
    .outline = toeplitz_outline,
    .size = toeplitz_size,
    .open = toeplitz_open,
    .close = close_all,
    .backproject = toeplitz_backproject,
    .normal = normal,
    .norm = norm,
    .report = toeplitz_report,
};
