/* SPDX-License-Identifier: BSD-3-Clause */
/* SIRT: x += relaxation·C Aᵀ R (b − A x), with R and C one over the sums of A's rows and columns (A. van der Sluis and
 * H. van der Vorst, Linear Algebra Appl. 130, 257 (1990)); x = max(x, 0) with non-negativity. */
#include "solver.h"

#include "memory.h"

#include <stdlib.h>

enum { B = 0, W = 1 }; /* rays: the sinogram; A x, then the weighted residual */
enum { X = 0, G = 1 }; /* voxels */

/* One over row sums [ray] and column sums, per partition [voxel]. */
typedef struct Weights {
    SinoData *row, **column;
} Weights;

/* Vectors of ones through both projections: a minibatch of one slice whose results stay. */
static SinoStatus sum_rows_and_columns(SinoSolverRun *run, SinoMinibatch *sums)
{
    const SinoOperator *op = run->op;
    const SinoPrecision precision = sino_precision_solver(op->layout.precision);
    for (int64_t p = 0; p < op->partition_count; p++)
        SINO_TRY(sino_insert_weights_ones(run->runtime, precision, op->partition[p].voxel_count, sums->voxels[G][p]));
    SINO_TRY(sino_insert_project(run->runtime, op, sums, -1, G, W));
    SINO_TRY(sino_insert_weights_ones(run->runtime, precision, sino_exchange_ray_count(run->exchange), sums->rays[B]));
    SINO_TRY(sino_insert_backproject(run->runtime, op, sums, -1, B, X));
    SINO_TRY(
        sino_insert_weights_reciprocal(run->runtime, precision, sino_exchange_ray_count(run->exchange), sums->rays[W]));
    for (int64_t p = 0; p < op->partition_count; p++)
        SINO_TRY(
            sino_insert_weights_reciprocal(run->runtime, precision, op->partition[p].voxel_count, sums->voxels[X][p]));
    return NULL;
}

static SinoStatus prepare(SinoSolverRun *run)
{
    Weights *weights = NULL;
    SinoMinibatch *sums = NULL;
    const SinoSlices one = {
        .precision = sino_precision_solver(run->op->layout.precision), .stride = 1, .slice_count = 1};
    SINO_TRY(sino_allocate(1, sizeof *weights, "SIRT's weights", &weights));
    run->own = weights;
    const SinoMinibatchRequest request = {.op = run->op,
                                          .exchange = run->exchange,
                                          .slices = one,
                                          .vectors = sino_solver_sirt.vectors,
                                          .history_columns = 1,
                                          .overlap = true};
    SINO_TRY(sino_minibatch_new(run->runtime, &request, &sums));
    SinoStatus status = sum_rows_and_columns(run, sums);
    weights->row = sums->rays[W];
    weights->column = sums->voxels[X];
    sums->rays[W] = NULL;
    sums->voxels[X] = NULL;
    sino_minibatch_free(sums, run->op->partition_count);
    return status;
}

static void release(SinoSolverRun *run)
{
    Weights *weights = run->own;
    if (!weights) return;
    sino_data_free(weights->row);
    for (int64_t p = 0; weights->column && p < run->op->partition_count; p++) sino_data_free(weights->column[p]);
    free(weights->column);
    free(weights);
    run->own = NULL;
}

static SinoStatus weigh_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Weights *weights = run->own;
    return sino_insert_update_residual_sirt(run->runtime, sino_minibatch_at(minibatch, iteration, -1),
                                            minibatch->slices, sino_exchange_ray_count(run->exchange),
                                            minibatch->rays[B], weights->row, iteration == 0, minibatch->rays[W],
                                            minibatch->sums);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SINO_TRY(sino_solver_start(run, minibatch));
    return weigh_residual(run, minibatch, 0);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Weights *weights = run->own;
    const SinoOperator *op = run->op;
    SINO_TRY(sino_insert_backproject(run->runtime, op, minibatch, iteration, W, G));
    for (int64_t p = 0; p < op->partition_count; p++)
        SINO_TRY(sino_insert_update_voxels_sirt(
            run->runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices, op->partition[p].voxel_count,
            run->settings->relaxation, run->settings->nonnegativity, iteration == 1, minibatch->voxels[G][p],
            weights->column[p], minibatch->state, minibatch->voxels[X][p]));
    SINO_TRY(sino_insert_project(run->runtime, op, minibatch, iteration, X, W));
    SINO_TRY(weigh_residual(run, minibatch, iteration));
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_sirt = {.choice = SINO_ALGORITHM_SIRT,
                                     .iterative = true,
                                     .vectors = {.rays = 2, .voxels = 2},
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};
