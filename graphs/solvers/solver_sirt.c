/* SPDX-License-Identifier: BSD-3-Clause */
/* SIRT: x += relaxation·C Aᵀ R (b − A x), where R and C are diagonal and hold one over the sums of A's rows and columns
 * (A. van der Sluis and H. van der Vorst, Linear Algebra Appl. 130, 257 (1990)). With bounds x is limited to them
 * after each iteration. The start is 0, or an image of the caller's.
 *
 * A ray without a value has the residual 0 in every iteration (update_formulas.h). The sums of columns include such
 * rays, so that all slices share them: x tends to the solution of the other rays, by steps that are shorter by the
 * share of a voxel's rays that is missing.
 *
 * With --weights counts, or a file, R is multiplied by the weight w of each ray, and C is one over the sums
 * of the columns of W A, 1/(Aᵀ w), for each slice: x tends to the minimum of Σ w (A x − b)²/(sum of the row). Entries
 * of C AᵀW R A are ≥ 0 and the sums of its rows at most 1, so that no eigenvalue exceeds 1, as without weights. */
#include "memory.h"
#include "solver.h"
#include "solvers_tasks.h"
#include "support.h"

#include <float.h>
#include <stdlib.h>

/* Sinogram; A x, then the weighted residual; tomogram; its correction; of the solvers with weights: those of columns;
 * of the one with weights that are given: these. */
enum { B, W, X, G, C, GIVEN, VECTORS };

static const SinoBuffer vectors[VECTORS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [W] = {"projection", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [C] = {"weights of columns", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [GIVEN] = {"weights", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

static bool is_weighted(const SinoMinibatch *minibatch)
{
    return minibatch->vectors->count > C;
}

static bool is_given(const SinoMinibatch *minibatch)
{
    return minibatch->vectors->count > GIVEN;
}

/* row[ray] = 1/(sum of a row of A); column[partition][voxel] = 1/(sum of a column of A), 0 outside of the support: x
 * stays 0 there. support: support.h. */
typedef struct Weights {
    SinoData *row, **column, **support;
} Weights;

/* Applies `formula` (fill with ones, or take reciprocals) to a vector of one slice. */
static SinoStatus insert_weights(SinoSolverRun *run, SinoUpdateFormula formula, SinoSlices one, int64_t rows,
                                 SinoData *vector)
{
    const SinoUpdateTask task = {
        .update = {.formula = formula, .slices = one, .rows = rows, .argument = {sino_solver_least_sum(run)}},
        .vector = {vector}};
    return sino_insert_update(run->runtime, SINO_NOWHERE, &task);
}

/* Sums the rows and columns of A: both products of vectors of ones, in a minibatch of one slice. */
static SinoStatus sum_rows_and_columns(SinoSolverRun *run, SinoMinibatch *sums)
{
    const int64_t count = sino_solver_partitions(run), rays = sino_solver_rays(run);
    const SinoSlices one = sums->slices;
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(insert_weights(run, SINO_UPDATE_ONES, one, sino_solver_voxels(run, p), sums->vector[G][p]));
    SINO_TRY(sino_insert_project(sums, -1, G, W));
    SINO_TRY(insert_weights(run, SINO_UPDATE_ONES, one, rays, sums->vector[B][0]));
    SINO_TRY(sino_insert_backproject(sums, -1, B, X));
    SINO_TRY(insert_weights(run, SINO_UPDATE_RECIPROCAL, one, rays, sums->vector[W][0]));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(insert_weights(run, SINO_UPDATE_RECIPROCAL, one, sino_solver_voxels(run, p), sums->vector[X][p]));
    return NULL;
}

static SinoStatus prepare(SinoSolverRun *run)
{
    Weights *weights = NULL;
    SinoMinibatch *sums = NULL;
    SINO_TRY(sino_allocate(1, sizeof *weights, "SIRT's weights", &weights));
    run->own = weights;
    SINO_TRY(sino_support_new(run, &weights->support));
    SINO_TRY(sino_solver_new_weights(run, &sino_solver_sirt.vectors, &sums));
    /* Tasks read maps that the minibatch owns, and write vectors that outlive it. */
    SinoStatus status = sum_rows_and_columns(run, sums);
    if (!status) status = sino_support_apply(run, sums, -1, weights->support, X);
    status = sino_runtime_wait_after(run->runtime, status);
    weights->row = sums->vector[W][0];
    weights->column = sums->vector[X];
    sums->vector[W][0] = NULL;
    sums->vector[X] = NULL;
    sino_minibatch_free(sums);
    return status;
}

static void release(SinoSolverRun *run)
{
    Weights *weights = run->own;
    if (!weights) return;
    sino_data_free(weights->row);
    sino_data_free_each(weights->column, sino_solver_partitions(run));
    sino_support_free(run, weights->support);
    free(weights);
    run->own = NULL;
}

static SinoStatus weigh_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Weights *weights = run->own;
    const SinoUpdateFormula formula = is_given(minibatch)      ? SINO_UPDATE_RESIDUAL_GIVEN_SIRT
                                      : is_weighted(minibatch) ? SINO_UPDATE_RESIDUAL_WEIGHTED_SIRT
                                                               : SINO_UPDATE_RESIDUAL_SIRT;
    const SinoUpdateTask task = {.update = {.formula = formula,
                                            .slices = minibatch->slices,
                                            .rows = sino_solver_rays(run),
                                            .first = iteration == 0 && !sino_solver_is_started(run)},
                                 .vector = {minibatch->vector[B][0], weights->row, minibatch->vector[W][0],
                                            is_given(minibatch) ? minibatch->vector[GIVEN][0] : NULL},
                                 .sums = minibatch->sums,
                                 .part_count = minibatch->part_count,
                                 .part_sums = minibatch->part_sums};
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), &task);
}

/* The weights of columns of each slice, 0 outside of the support. */
static SinoStatus insert_column_weights(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    /* Sums are as small as the weights of the darkest rays. */
    const SinoUpdate invert = {.formula = SINO_UPDATE_RECIPROCAL, .argument = {FLT_MIN}};
    const int of_rays = is_given(minibatch) ? GIVEN : W;
    SinoData *vector = minibatch->vector[of_rays][0];
    const SinoUpdateTask weigh = {
        .update = {.formula = is_given(minibatch) ? SINO_UPDATE_ADMIT_RAYS : SINO_UPDATE_WEIGH_RAYS,
                   .slices = minibatch->slices,
                   .rows = sino_solver_rays(run),
                   .argument = {1}},
        .vector = {minibatch->vector[B][0], vector}};
    const Weights *weights = run->own;
    SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, 0, -1), &weigh));
    SINO_TRY(sino_insert_backproject(minibatch, 0, of_rays, C));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, 0, &invert, 1, (const int[]){C}));
    return sino_support_apply(run, minibatch, 0, weights->support, C);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    if (is_given(minibatch)) SINO_TRY(run->given->load(run->given->of, minibatch, GIVEN));
    SINO_TRY(sino_solver_start(run, minibatch));
    if (is_weighted(minibatch)) SINO_TRY(insert_column_weights(run, minibatch));
    if (sino_solver_is_started(run)) {
        const Weights *weights = run->own;
        SINO_TRY(sino_solver_fill(run, minibatch, X));
        SINO_TRY(sino_support_apply(run, minibatch, 0, weights->support, X));
        SINO_TRY(sino_insert_project(minibatch, 0, X, W));
    }
    return weigh_residual(run, minibatch, 0);
}

/* Updates x from g. */
static SinoStatus insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Weights *weights = run->own;
    const SinoBounds bounds = run->bounds;
    const bool weighted = is_weighted(minibatch);
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        SinoData *column = weighted ? minibatch->vector[C][p] : weights->column[p];
        const SinoUpdateTask task = {
            .update = {.formula = weighted ? SINO_UPDATE_VOXELS_WEIGHTED_SIRT : SINO_UPDATE_VOXELS_SIRT,
                       .slices = minibatch->slices,
                       .rows = sino_solver_voxels(run, p),
                       .first = iteration == 1 && !sino_solver_is_started(run),
                       .argument = {run->settings->solver.relaxation, bounds.least, bounds.most}},
            .vector = {minibatch->vector[G][p], column, minibatch->vector[X][p]},
            .state = minibatch->state};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &task));
    }
    return NULL;
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    SINO_TRY(sino_insert_backproject(minibatch, iteration, W, G));
    SINO_TRY(insert_voxels(run, minibatch, iteration));
    SINO_TRY(sino_insert_project(minibatch, iteration, X, W));
    SINO_TRY(weigh_residual(run, minibatch, iteration));
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_sirt = {.choice = SINO_ALGORITHM_SIRT,
                                     .iterative = true,
                                     .weights = &sino_solver_sirt.vectors,
                                     .vectors = {.count = C, .buffer = vectors, .tomogram = X},
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};

const SinoSolver sino_solver_sirt_weighted = {.choice = SINO_ALGORITHM_SIRT,
                                              .iterative = true,
                                              .weighted = true,
                                              .weights = &sino_solver_sirt.vectors,
                                              .vectors = {.count = GIVEN, .buffer = vectors, .tomogram = X},
                                              .prepare = prepare,
                                              .release = release,
                                              .start = start,
                                              .iterate = iterate};

const SinoSolver sino_solver_sirt_given = {.choice = SINO_ALGORITHM_SIRT,
                                           .iterative = true,
                                           .weighted = true,
                                           .given = true,
                                           .weights = &sino_solver_sirt.vectors,
                                           .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                           .prepare = prepare,
                                           .release = release,
                                           .start = start,
                                           .iterate = iterate};
