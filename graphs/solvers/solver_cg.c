/* SPDX-License-Identifier: BSD-3-Clause */
/* CG: min ‖W(Ax − b)‖² by conjugate gradients on the normal equations, CGLS (M. Hestenes and E. Stiefel, J. Res. NBS
 * 49, 409 (1952)). Every slice has its own step lengths:
 *
 *     q = W A d;  step = (r·q)/(q·q);  x += step·d;  r −= step·q;  g = Aᵀ r;  beta = ‖g‖²/‖g before‖²;  d = g + beta·d
 *
 * W holds the weight of each ray and slice: 1, or 0 where the ray has no value. r = W(b − A x) marks those rays as −0
 * (update_formulas.h), so that W takes neither memory nor a sweep of its own.
 *
 * With --weights counts, or a file, the sum is Σ w (A x − b)², where w has a vector of its own. r is then w·(b − A x),
 * so that g is Aᵀ r as before; q·q becomes Σ w·q², and r −= step·w·q. The residual that is recorded is ‖A x − b‖² in
 * both cases.
 *
 * Voxels outside of a support have g = 0, so that d and x stay 0 there: the minimum over the other voxels.
 *
 * g is kept orthogonal to the first gradient g0 = Aᵀ b, as it would be without rounding (update_formulas.h). This costs
 * one more vector and less than 1 % of the time. After ten iterations single precision agrees with double to about
 * 1e-5; without it ‖r‖² was 60 % too large (docs/lab/accuracy.md). */
#include "memory.h"
#include "solver.h"
#include "solvers_tasks.h"
#include "support.h"

#include <stdlib.h>

enum { R, Q, X, G, D, G0, W, VECTORS }; /* r begins as the sinogram; g0 is the first g; w: solver with weights */

static const SinoBuffer vectors[VECTORS] = {
    [R] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [Q] = {"projection", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [D] = {"direction", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G0] = {"first gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [W] = {"weights", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

typedef struct Cg {
    SinoData **support; /* support.h */
} Cg;

static SinoStatus prepare(SinoSolverRun *run)
{
    Cg *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "CG's support", &own));
    run->own = own;
    return sino_support_new(run, &own->support);
}

static void release(SinoSolverRun *run)
{
    Cg *own = run->own;
    if (!own) return;
    sino_support_free(run, own->support);
    free(own);
    run->own = NULL;
}

/* Fills a vector with the start, which is 0 outside of the support. */
static SinoStatus fill(SinoSolverRun *run, SinoMinibatch *minibatch, int vector)
{
    const Cg *own = run->own;
    SINO_TRY(sino_solver_fill(run, minibatch, vector));
    return sino_support_apply(run, minibatch, 0, own->support, vector);
}

static bool is_weighted(const SinoMinibatch *minibatch)
{
    return minibatch->vectors->count == VECTORS;
}

/* Applies a formula to vectors of rays. */
static SinoStatus insert_rays(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                              SinoUpdateFormula formula, int count, const int *vector)
{
    const SinoUpdateRow *row = &sino_update_row[formula];
    SinoUpdateTask task = {.update = {.formula = formula, .slices = minibatch->slices, .rows = sino_solver_rays(run)},
                           .state = row->reads_state ? minibatch->state : NULL,
                           .sums = row->sums > 0 ? minibatch->sums : NULL,
                           .part_count = minibatch->part_count,
                           .part_sums = minibatch->part_sums};
    for (int i = 0; i < count; i++) task.vector[i] = minibatch->vector[vector[i]][0];
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), &task);
}

/* The sums of g: its squares in iteration 0, where g is g0; later its sums along g0 (SINO_UPDATE_PRODUCT). */
static SinoStatus insert_sums(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoUpdate sums = {.formula = iteration == 0 ? SINO_UPDATE_SQUARE : SINO_UPDATE_PRODUCT};
    return sino_solver_update_voxels(run, minibatch, iteration, &sums, 2, (const int[]){G, G0});
}

/* Updates x and the direction d. */
static SinoStatus insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask voxels = {.update = {.formula = SINO_UPDATE_VOXELS_CG,
                                                  .slices = minibatch->slices,
                                                  .rows = sino_solver_voxels(run, p),
                                                  .first = iteration == 0},
                                       .vector = {minibatch->vector[G][p], minibatch->vector[G0][p],
                                                  minibatch->vector[D][p], minibatch->vector[X][p]},
                                       .state = minibatch->state};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &voxels));
    }
    return NULL;
}

/* Computes g = Aᵀ r and its norm, then updates x and the direction d. */
static SinoStatus turn(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Cg *own = run->own;
    SinoData *sums;
    SINO_TRY(sino_insert_backproject(minibatch, iteration, R, G));
    SINO_TRY(sino_support_apply(run, minibatch, iteration, own->support, G));
    SINO_TRY(insert_sums(run, minibatch, iteration));
    SINO_TRY(sino_insert_collect(minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, iteration, -1),
                                       SINO_RULE_DIRECTION_CG, minibatch->slices, iteration == 0, 0, sums,
                                       minibatch->state));
    return insert_voxels(run, minibatch, iteration);
}

/* r −= step·W q. Sums the squares of b − A x. */
static SinoStatus insert_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    return is_weighted(minibatch)
               ? insert_rays(run, minibatch, iteration, SINO_UPDATE_RESIDUAL_WEIGHTED_CG, 3, (const int[]){Q, W, R})
               : insert_rays(run, minibatch, iteration, SINO_UPDATE_RESIDUAL_CG, 2, (const int[]){Q, R});
}

/* The sums of q·W q and q·r. */
static SinoStatus insert_product(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    return is_weighted(minibatch)
               ? insert_rays(run, minibatch, iteration, SINO_UPDATE_PRODUCT_WEIGHTED_CG, 3, (const int[]){Q, R, W})
               : insert_rays(run, minibatch, iteration, SINO_UPDATE_WEIGHTED_PRODUCT, 2, (const int[]){Q, R});
}

/* Turns r into W(b − A x) of the caller's x, which is in D until the first direction takes its place. */
static SinoStatus subtract_start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SinoData *sums = minibatch->sums; /* the rule does not read them */
    SINO_TRY(fill(run, minibatch, D));
    SINO_TRY(sino_insert_project(minibatch, 0, D, Q));
    SINO_TRY(sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, 0, -1), SINO_RULE_STEP_GIVEN,
                                       minibatch->slices, false, 1, sums, minibatch->state));
    return insert_residual(run, minibatch, 0);
}

/* The weights, and r = w·b. */
static SinoStatus insert_weights(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    if (!is_weighted(minibatch)) return NULL;
    return insert_rays(run, minibatch, 0, run->given ? SINO_UPDATE_START_GIVEN_CG : SINO_UPDATE_START_WEIGHTED_CG, 2,
                       (const int[]){R, W});
}

/* CG of a start x solves A x' = b − A x for x' as from 0, and adds x' to x. */
static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const bool started = sino_solver_is_started(run);
    if (run->given) SINO_TRY(run->given->load(run->given->of, minibatch, W));
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(insert_weights(run, minibatch));
    if (started) SINO_TRY(subtract_start(run, minibatch));
    SINO_TRY(turn(run, minibatch, 0));
    return started ? fill(run, minibatch, X) : NULL; /* `turn` has made x 0 */
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoPosition position = sino_minibatch_at(minibatch, iteration, -1);
    SinoData *sums;
    SINO_TRY(sino_insert_project(minibatch, iteration, D, Q));
    SINO_TRY(insert_product(run, minibatch, iteration));
    SINO_TRY(sino_insert_collect(minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_slices(run->runtime, position, SINO_RULE_STEP_CG, minibatch->slices, false, 0, sums,
                                       minibatch->state));
    SINO_TRY(insert_residual(run, minibatch, iteration));
    SINO_TRY(sino_solver_record(run, minibatch, iteration));
    return turn(run, minibatch, iteration);
}

const SinoSolver sino_solver_cg = {.choice = SINO_ALGORITHM_CG,
                                   .iterative = true,
                                   .vectors = {.count = W, .buffer = vectors, .tomogram = X},
                                   .prepare = prepare,
                                   .release = release,
                                   .start = start,
                                   .iterate = iterate};

const SinoSolver sino_solver_cg_weighted = {.choice = SINO_ALGORITHM_CG,
                                            .iterative = true,
                                            .weighted = true,
                                            .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                            .prepare = prepare,
                                            .release = release,
                                            .start = start,
                                            .iterate = iterate};
