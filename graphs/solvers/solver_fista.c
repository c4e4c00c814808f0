/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA: the x within bounds, least ≤ x ≤ most, that minimises
 *
 *     ½ Σ w (A x − b)² + strength · R(x)
 *
 * by proximal gradient steps with momentum (A. Beck and M. Teboulle, SIAM J. Imaging Sci. 2, 183 (2009)), whose
 * momentum starts again where it points away from the descent (update_formulas.h):
 *
 *     g = AᵀW(b − A y);  z = y + g/L;  u = min within bounds of ½‖u − z‖² + strength/L · R(u);
 *     y = u + beta·(u − x);  x = u
 *
 * With S subsets of the angles an iteration has S such updates, its *turns*, each of which takes S times the g of one
 * subset for that of all rays (ordered subsets with momentum: D. Kim, S. Ramani and J. Fessler, IEEE Trans. Med.
 * Imaging 34, 167 (2015)). x comes near the minimum as fast as with S times the iterations, and stays as far from it as
 * the subsets differ. Later turns therefore have two subsets, then four. docs/lab/images.md has how near the usual 15
 * iterations come. With one subset x converges to the minimum.
 *
 * Here R compares voxels within a slice; solver_fista_volume.c has priors in 3-D.
 *
 * R is the isotropic total variation of a slice (codelets/solvers/variation.h), or a smooth prior
 * (codelets/solvers/prior.h). The minimum of total variation is sought by a few steps from the dual vectors of the last
 * update, which come closer with every update. The gradient of a smooth prior is added to g instead, and its curvature
 * to L: z = y + (g − strength·∇R(y))/L, u is z, limited to the bounds. w is the weight of each ray
 * (sino_formula_weigh_rays, or a file's). Every slice has its own L, an upper bound of the largest eigenvalue of
 * AᵀW A, which takes one more product with A and one with Aᵀ (sino_rule_lengthen_fista). Volumes in bands share the
 * step of all slices, so that nothing is saved by finding A 1 once: a few subsets alone tell their L.
 *
 * The start is x = FBP of b, which has the fine structure that gradient steps find last, or an image of the caller's.
 * The residual ‖A y − b‖² of an iteration is the sum over the subsets, each computed just before the subset's next
 * turn. */
#include "solver_fista.h"

#include "memory.h"
#include "solvers_tasks.h"
#include "support.h"

#include <stdlib.h>

/* Steps towards the minimum of the prior in an update. Without subsets: with 3 some problems end 1e-4 above the
 * minimum, with 5 within 1e-7 (tests/recon/test_fista.c). With subsets 2 would be 0.1 to 0.5 % closer to the truth
 * than 1. */
enum { DUAL_STEPS = 5, DUAL_STEPS_OF_SUBSETS = 1 };

/* Iterations whose turns have one subset, and two; later ones have four. With more than 16 subsets these are fewer, as
 * the turns decide how near x comes. */
enum { FINE_ITERATIONS = 3, COARSER_ITERATIONS = 7, LEAST_TURNS = 4 };
enum { MANY_SUBSETS = 17, FINE_OF_MANY = 2, COARSER_OF_MANY = 3 };

/* The largest t of the momentum (t − 1)/t. With subsets a larger one amplifies rounding and what the subsets differ by:
 * with this one, volumes of different partitions differ by 4e-6 of 256² with 90 angles, and by up to 5e-5 of smaller
 * ones with 45. With 8, 15 iterations would come as far as 5. */
static const double t_most = INFINITY, t_most_of_subsets = 40;

static const SinoBuffer vectors[SINO_FISTA_PLANE_VECTORS] = {SINO_FISTA_BUFFERS};

/* Vectors of the one-slice minibatch in which A 1 and AᵀA 1 are computed. */
enum { ROW_SUMS, ONES, ADDEND, CURVATURE, WEIGHT_VECTORS };
static const SinoBuffer weight_buffers[WEIGHT_VECTORS] = {
    [ROW_SUMS] = {"projection", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [ONES] = {"ones", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [ADDEND] = {"curvature of a subset", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [CURVATURE] = {"curvature", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
const SinoVectors sino_fista_weight_vectors = {
    .count = WEIGHT_VECTORS, .buffer = weight_buffers, .tomogram = CURVATURE};

static bool is_proximal(const SinoFista *own)
{
    return own->prior && !own->smooth;
}

void sino_fista_release(SinoSolverRun *run)
{
    SinoFista *own = run->own;
    if (!own) return;
    sino_solver_fbp.release(&own->filter);
    sino_data_free_each(own->row_sums, run->op->problem.subset_count);
    sino_support_free(run, own->support);
    free(own->order);
    free(own->rank);
    sino_data_free(own->tables.tiles);
    sino_data_free(own->tables.neighbours);
    sino_data_free(own->scratch);
    free(own->neighbour);
    free(own);
    run->own = NULL;
}

SinoVariation sino_fista_tiles(const SinoSolverRun *run, const SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    return (SinoVariation){.slices = minibatch->slices,
                           .grid_size = run->op->problem.geometry.grid_size,
                           .part_count = own->tiling.partition_count,
                           .first_tile = own->tiling.first,
                           .tile = own->tiling.tile,
                           .neighbour = own->neighbour,
                           .least = run->bounds.least,
                           .most = run->bounds.most};
}

SinoSmoothPrior sino_fista_smooth_prior(const SinoSolverRun *run, const SinoMinibatch *minibatch)
{
    const SinoRegularization *of = &run->regularization;
    return (SinoSmoothPrior){.tiles = sino_fista_tiles(run, minibatch),
                             .function = of->prior == SINO_PRIOR_OF_HUBER ? SINO_PRIOR_HUBER : SINO_PRIOR_QGGMRF,
                             .threshold = of->threshold};
}

/* Takes the gradient of a smooth prior at y from z, which is in G. */
static SinoStatus insert_smooth_prior(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    SinoSmoothPrior prior = sino_fista_smooth_prior(run, minibatch);
    for (; prior.tiles.part < prior.tiles.part_count; prior.tiles.part++) {
        const int64_t part = prior.tiles.part;
        if (sino_solver_voxels(run, part) > 0)
            SINO_TRY(sino_insert_prior(run->runtime, sino_minibatch_at(minibatch, iteration, part), &prior,
                                       ((const SinoFista *)run->own)->tables, minibatch->vector[SINO_FISTA_Y], NULL,
                                       NULL, minibatch->state, minibatch->vector[SINO_FISTA_G][part]));
    }
    return NULL;
}

int sino_fista_dual_steps(int64_t subset_count)
{
    return subset_count > 1 ? DUAL_STEPS_OF_SUBSETS : DUAL_STEPS;
}

/* z, u, p and q of a primal half, u, p and q of a dual one. */
static double prior_vectors(int64_t subset_count)
{
    const int steps = sino_fista_dual_steps(subset_count);
    return 4 * (steps + 1) + 3 * steps;
}

/* Computes U from z, which is in G. U is 0 outside of the support, as the projection on all constraints makes it. */
static SinoStatus insert_variation(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    SinoVariationTask task = {.variation = sino_fista_tiles(run, minibatch),
                              .p = minibatch->vector[SINO_FISTA_P],
                              .q = minibatch->vector[SINO_FISTA_D],
                              .u = minibatch->vector[SINO_FISTA_U],
                              .state = minibatch->state,
                              .tables = own->tables};
    for (int half = 0; half <= 2 * sino_fista_dual_steps(own->subset_count); half++) {
        for (int64_t p = 0; p < own->tiling.partition_count; p++) {
            const SinoPosition position = sino_minibatch_at(minibatch, iteration, p);
            task.variation.part = p;
            if (sino_solver_voxels(run, p) == 0) continue;
            SINO_TRY(half % 2 == 0 ? sino_insert_variation_primal(run->runtime, position, &task,
                                                                  minibatch->vector[SINO_FISTA_G][p], NULL)
                                   : sino_insert_variation_dual(run->runtime, position, &task, NULL));
        }
        if (half % 2 == 0) SINO_TRY(sino_fista_insert_support(run, minibatch, iteration, SINO_FISTA_U));
    }
    return NULL;
}

/* SinoFista.lower of tiles. */
static SinoStatus lower(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    if (is_proximal(own)) return insert_variation(run, minibatch, iteration);
    if (own->smooth) SINO_TRY(insert_smooth_prior(run, minibatch, iteration));
    return sino_fista_insert_support(run, minibatch, iteration, SINO_FISTA_G);
}

/* The largest (AᵀA 1)_j, over all partitions. */
static SinoStatus find_largest(SinoSolverRun *run, const SinoMinibatch *sums, double *largest)
{
    *largest = 0;
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        SinoData *part = sums->vector[CURVATURE][p];
        const int64_t rows = sino_solver_voxels(run, p);
        void *value;
        if (rows == 0) continue;
        SINO_TRY(sino_data_acquire(part, SINO_READ, &value));
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = sino_panel_element(sums->slices, rows, i, 0);
            *largest = fmax(*largest, sums->slices.precision == SINO_DOUBLE ? ((const double *)value)[at]
                                                                            : (double)((const float *)value)[at]);
        }
        sino_data_release(part);
    }
    return NULL;
}

static SinoStatus insert_ones(SinoSolverRun *run, SinoMinibatch *sums, int vector)
{
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask ones = {
            .update = {.formula = SINO_UPDATE_ONES, .slices = sums->slices, .rows = sino_solver_voxels(run, p)},
            .vector = {sums->vector[vector][p]}};
        if (ones.update.rows > 0) SINO_TRY(sino_insert_update(run->runtime, SINO_NOWHERE, &ones));
    }
    return NULL;
}

/* The i-th of the subsets that tell the step length. */
static int64_t sampled_subset(const SinoFista *own, int64_t i)
{
    return i * own->subset_count / own->sampled;
}

/* Inserts the tasks of A 1 and AᵀA 1, of the sampled subsets. */
static SinoStatus insert_row_sums(SinoSolverRun *run, SinoMinibatch *sums)
{
    const SinoFista *own = run->own;
    SINO_TRY(insert_ones(run, sums, ONES));
    for (int64_t i = 0; i < own->sampled; i++) {
        const int64_t s = sampled_subset(own, i);
        SINO_TRY(sino_insert_project_subset(sums, -1, s, ONES, ROW_SUMS));
        SINO_TRY(sino_insert_backproject_subset(sums, -1, s, ROW_SUMS, ADDEND));
        SINO_TRY(sino_insert_addend(run, sums, -1, ADDEND, CURVATURE, i == 0));
    }
    return NULL;
}

static SinoStatus sum_rows(SinoSolverRun *run, SinoFista *own)
{
    SinoMinibatch *sums = NULL;
    SINO_TRY(sino_solver_new_weights(run, &sino_fista_weight_vectors, &sums));
    SinoStatus status = sino_runtime_wait_after(run->runtime, insert_row_sums(run, sums));
    if (!status) status = find_largest(run, sums, &own->curvature);
    own->row_sums = sums->vector[ROW_SUMS];
    sums->vector[ROW_SUMS] = NULL;
    sino_minibatch_free(sums);
    return status;
}

/* Makes the tables that the prior needs. */
static SinoStatus prepare_prior(const SinoSolverRun *run, SinoFista *own)
{
    const int64_t count = own->tiling.first[own->tiling.partition_count];
    const int64_t grid_size = run->op->problem.geometry.grid_size;
    const int64_t tile_bytes = sino_times(count, sizeof *own->tiling.tile);
    const int64_t neighbour_bytes = sino_times(count, sizeof *own->neighbour);
    SINO_TRY(sino_allocate(count, sizeof *own->neighbour, "tiles", &own->neighbour));
    SINO_TRY(sino_variation_neighbours(grid_size, count, own->tiling.tile, own->neighbour));
    SINO_TRY(sino_data_scratch(run->runtime, "details", sino_detail_bytes(grid_size), &own->scratch));
    if (sino_runtime_devices(run->runtime) == SINO_DEVICE_CPU) return NULL;
    SINO_TRY(sino_data_copy(run->runtime, "tiles", own->tiling.tile, tile_bytes, &own->tables.tiles));
    return sino_data_copy(run->runtime, "neighbours", own->neighbour, neighbour_bytes, &own->tables.neighbours);
}

SinoStatus sino_fista_open(SinoSolverRun *run)
{
    SinoFista *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "FISTA's weights", &own));
    run->own = own;
    own->filter = *run;
    own->filter.own = NULL;
    own->filter.bridge_gaps = true; /* iterations take out only slowly what a start with zeros has there */
    own->subset_count = sino_problem_solved_subsets(&run->op->problem);
    SINO_TRY(sino_solver_order_subsets(own->subset_count, &own->order));
    own->sampled = run->op->kind->tiling ? own->subset_count : sino_smaller(own->subset_count, LEAST_TURNS);
    own->prior = run->regularization.strength > 0;
    own->smooth = own->prior && run->regularization.prior != SINO_PRIOR_TOTAL_VARIATION;
    own->bend = SINO_PRIOR_CURVATURE;
    own->lower = lower;
    SINO_TRY(sino_support_new(run, &own->support));
    if (!run->op->kind->tiling) return NULL;
    own->tiling = run->op->kind->tiling(run->op);
    if (own->prior) SINO_TRY(prepare_prior(run, own));
    return sino_solver_fbp.prepare(&own->filter);
}

SinoStatus sino_fista_prepare(SinoSolverRun *run)
{
    SINO_TRY(sino_fista_open(run));
    return sum_rows(run, run->own);
}

/* Subsets of a turn of the iteration: more of them later, as long as LEAST_TURNS are left. */
static int64_t turn_size(int64_t subsets, int64_t iteration)
{
    const bool many = subsets >= MANY_SUBSETS;
    const int64_t fine = many ? FINE_OF_MANY : FINE_ITERATIONS, coarser = many ? COARSER_OF_MANY : COARSER_ITERATIONS;
    const int64_t size = iteration <= fine ? 1 : iteration <= fine + coarser ? 2 : 4;
    return sino_larger(1, sino_smaller(size, subsets / LEAST_TURNS));
}

int64_t sino_fista_turns(int64_t subsets, int64_t iteration)
{
    return sino_ceil_divide(subsets, turn_size(subsets, iteration));
}

/* The subsets of a turn are order[first … end − 1]. */
typedef struct Turn {
    int64_t first, end;
} Turn;

static Turn turn_of(const SinoFista *own, int64_t iteration, int64_t k)
{
    const int64_t size = turn_size(own->subset_count, iteration);
    return (Turn){k * size, sino_smaller((k + 1) * size, own->subset_count)};
}

/* Applies a formula, which may have sums, to vectors of a subset's rays. */
static SinoStatus insert_rays(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t subset,
                              SinoUpdateTask *task)
{
    task->update.slices = minibatch->slices;
    task->update.rows = run->op->shape.extent[SINO_ROWS_SUBSET].rows[subset];
    task->sums = sino_update_row[task->update.formula].sums > 0 ? minibatch->sums : NULL;
    task->part_count = minibatch->part_count;
    task->part_sums = minibatch->part_sums;
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), task);
}

/* Applies a formula with sums to voxels. They are not minibatch->sums, which collect the residual of all subsets. A
 * rank has whole slices, hence all voxels. */
SinoStatus sino_fista_insert_sums(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                                  const SinoUpdate *update, int vector_count, const int *vector)
{
    SinoMinibatch with_own_sums = *minibatch;
    with_own_sums.sums = minibatch->vector[SINO_FISTA_SUMS][0];
    return sino_solver_update_voxels(run, &with_own_sums, iteration, update, vector_count, vector);
}

SinoStatus sino_fista_insert_rule(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoUpdateRule rule,
                                  double argument, SinoData *sums)
{
    return sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, iteration, -1), rule, minibatch->slices,
                                     false, argument, sums, minibatch->state);
}

/* Finds the weights of rays, and AᵀW A 1 of the sampled subsets in vector U. */
static SinoStatus insert_weights(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    for (int64_t s = 0; s < own->subset_count; s++) {
        SinoUpdateTask weigh = {.update = {.formula = run->given ? SINO_UPDATE_ADMIT_RAYS : SINO_UPDATE_WEIGH_RAYS,
                                           .argument = {run->photon_weights ? 1 : 0}},
                                .vector = {minibatch->vector[SINO_FISTA_PART][s], minibatch->vector[SINO_FISTA_W][s]}};
        SINO_TRY(insert_rays(run, minibatch, 0, s, &weigh));
    }
    for (int64_t i = 0; i < own->sampled; i++) {
        const int64_t s = sampled_subset(own, i);
        SinoUpdateTask majorise = {
            .update = {.formula = SINO_UPDATE_MAJORISE},
            .vector = {own->row_sums[s], minibatch->vector[SINO_FISTA_W][s], minibatch->vector[SINO_FISTA_Q][s]}};
        SINO_TRY(insert_rays(run, minibatch, 0, s, &majorise));
        SINO_TRY(sino_insert_backproject_subset(minibatch, 0, s, SINO_FISTA_Q, SINO_FISTA_G));
        SINO_TRY(sino_insert_addend(run, minibatch, 0, SINO_FISTA_G, SINO_FISTA_U, i == 0));
    }
    return NULL;
}

SinoStatus sino_fista_insert_strength(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    SinoData *sums = minibatch->vector[SINO_FISTA_SUMS][0]; /* the rules do not read them */
    SINO_TRY(sino_fista_insert_rule(run, minibatch, 0, SINO_RULE_PRIOR_FISTA,
                                    own->smooth ? own->bend / run->regularization.threshold : 0, sums));
    return sino_fista_insert_rule(run, minibatch, 0, SINO_RULE_STRENGTH_FISTA, run->regularization.strength, sums);
}

/* Lengthens the step of every slice by AᵀW A g of g = AᵀW A 1, which is in vector U, of the sampled subsets. */
static SinoStatus insert_longer_step(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    const SinoUpdate growth = {.formula = SINO_UPDATE_GROWTH};
    for (int64_t i = 0; i < own->sampled; i++) {
        const int64_t s = sampled_subset(own, i);
        SinoUpdateTask weigh = {.update = {.formula = SINO_UPDATE_WEIGH},
                                .vector = {minibatch->vector[SINO_FISTA_W][s], minibatch->vector[SINO_FISTA_Q][s]}};
        SINO_TRY(sino_insert_project_subset(minibatch, 0, s, SINO_FISTA_U, SINO_FISTA_Q));
        SINO_TRY(insert_rays(run, minibatch, 0, s, &weigh));
        SINO_TRY(sino_insert_backproject_subset(minibatch, 0, s, SINO_FISTA_Q, SINO_FISTA_G));
        SINO_TRY(sino_insert_addend(run, minibatch, 0, SINO_FISTA_G, SINO_FISTA_Y, i == 0));
    }
    SINO_TRY(sino_fista_insert_sums(run, minibatch, 0, &growth, 2, (const int[]){SINO_FISTA_U, SINO_FISTA_Y}));
    return sino_fista_insert_rule(run, minibatch, 0, SINO_RULE_LENGTHEN_FISTA,
                                  (double)own->sampled / (double)own->subset_count,
                                  minibatch->vector[SINO_FISTA_SUMS][0]);
}

/* Finds the step length of every slice. */
static SinoStatus insert_step(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    SinoData *sums = minibatch->vector[SINO_FISTA_SUMS][0];
    const double largest = own->curvature * (run->given ? run->given->scale : 1); /* of weights up to 1, or about */
    const SinoUpdate curvature = {.formula = SINO_UPDATE_CURVATURE, .argument = {largest > 0 ? 1 / largest : 0}};
    SINO_TRY(insert_weights(run, minibatch));
    SINO_TRY(sino_fista_insert_sums(run, minibatch, 0, &curvature, 1, (const int[]){SINO_FISTA_U}));
    SINO_TRY(sino_fista_insert_rule(run, minibatch, 0, own->volume ? SINO_RULE_STEP_VOLUME : SINO_RULE_STEP_FISTA,
                                    largest, sums));
    SINO_TRY(insert_longer_step(run, minibatch));
    return sino_fista_insert_strength(run, minibatch);
}

SinoStatus sino_fista_insert_zeros(SinoSolverRun *run, SinoMinibatch *minibatch, int vector)
{
    const SinoUpdate zero = {.formula = SINO_UPDATE_ZERO};
    return sino_solver_update_voxels(run, minibatch, 0, &zero, 1, &vector);
}

/* Projects y for the subsets, and turns A y into W(b − A y). add: their residuals are added to those before. */
static SinoStatus insert_residuals(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, Turn subsets,
                                   bool add)
{
    const SinoFista *own = run->own;
    for (int64_t i = subsets.first; i < subsets.end; i++) {
        const int64_t s = own->order[i];
        SinoUpdateTask residual = {.update = {.formula = SINO_UPDATE_RESIDUAL_FISTA, .add = add || i > subsets.first},
                                   .vector = {minibatch->vector[SINO_FISTA_PART][s], minibatch->vector[SINO_FISTA_W][s],
                                              minibatch->vector[SINO_FISTA_Q][s]}};
        SINO_TRY(sino_insert_project_subset(minibatch, iteration, s, SINO_FISTA_Y, SINO_FISTA_Q));
        SINO_TRY(insert_rays(run, minibatch, iteration, s, &residual));
    }
    return NULL;
}

SinoStatus sino_fista_insert_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k)
{
    const SinoFista *own = run->own;
    const int64_t next = (k + 1) % sino_fista_turns(own->subset_count, iteration);
    return insert_residuals(run, minibatch, iteration, turn_of(own, iteration, next), k > 0);
}

SinoStatus sino_fista_insert_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    Turn more = turn_of(run->own, iteration + 1, 0);
    more.first = turn_of(run->own, iteration, 0).end;
    SINO_TRY(sino_solver_record(run, minibatch, iteration));
    return insert_residuals(run, minibatch, iteration, more, false);
}

SinoStatus sino_fista_insert_support(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int vector)
{
    const SinoFista *own = run->own;
    return sino_support_apply(run, minibatch, iteration, own->support, vector);
}

SinoStatus sino_fista_insert_start(SinoSolverRun *run, SinoMinibatch *minibatch, bool started)
{
    static const SinoFbpVectors fbp = {.from = SINO_FISTA_B,
                                       .completed = SINO_FISTA_COMPLETED,
                                       .to = SINO_FISTA_X,
                                       .part = SINO_FISTA_Q,
                                       .addend = SINO_FISTA_G};
    SinoFista *own = run->own;
    const SinoUpdate begin = {.formula = SINO_UPDATE_START_FISTA,
                              .argument = {run->bounds.least, run->bounds.most, started ? 1 : 1 / (1 - run->lacking)}};
    SINO_TRY(started            ? sino_solver_fill(run, minibatch, SINO_FISTA_X)
             : own->tiling.tile ? sino_insert_fbp(&own->filter, minibatch, 0, &fbp)
                                : sino_fista_insert_zeros(run, minibatch, SINO_FISTA_X));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, 0, &begin, 2, (const int[]){SINO_FISTA_X, SINO_FISTA_Y}));
    SINO_TRY(sino_fista_insert_support(run, minibatch, 0, SINO_FISTA_X));
    SINO_TRY(sino_fista_insert_support(run, minibatch, 0, SINO_FISTA_Y));
    if (!is_proximal(own)) return NULL;
    SINO_TRY(sino_fista_insert_zeros(run, minibatch, SINO_FISTA_U)); /* outside of the grid the prior leaves it so */
    SINO_TRY(sino_fista_insert_zeros(run, minibatch, SINO_FISTA_P));
    return sino_fista_insert_zeros(run, minibatch, SINO_FISTA_D);
}

SinoStatus sino_fista_start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    if (run->given) SINO_TRY(run->given->load(run->given->of, minibatch, SINO_FISTA_W));
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(sino_solver_divide(run, minibatch, SINO_FISTA_B, SINO_FISTA_PART));
    SINO_TRY(insert_step(run, minibatch));
    SINO_TRY(sino_fista_insert_start(run, minibatch, sino_solver_is_started(run)));
    return insert_residuals(run, minibatch, 0, turn_of(run->own, 1, 0), false);
}

/* Backprojects a vector of rays, of the subsets, into `to`, by way of U. */
static SinoStatus insert_backprojection(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, Turn subsets,
                                        int from, int to)
{
    const SinoFista *own = run->own;
    for (int64_t i = subsets.first; i < subsets.end; i++) {
        const bool first = i == subsets.first;
        SINO_TRY(sino_insert_backproject_subset(minibatch, iteration, own->order[i], from, first ? to : SINO_FISTA_U));
        if (!first) SINO_TRY(sino_insert_addend(run, minibatch, iteration, SINO_FISTA_U, to, false));
    }
    return NULL;
}

SinoStatus sino_fista_insert_back(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k)
{
    const SinoFista *own = run->own;
    const Turn turn = turn_of(own, iteration, k);
    const double share = (double)(turn.end - turn.first) / (double)own->subset_count;
    const SinoUpdate descend = {.formula = SINO_UPDATE_DESCEND_FISTA, .argument = {1 / share}};
    SINO_TRY(insert_backprojection(run, minibatch, iteration, turn, SINO_FISTA_Q, SINO_FISTA_G));
    return sino_solver_update_voxels(run, minibatch, iteration, &descend, 2, (const int[]){SINO_FISTA_Y, SINO_FISTA_G});
}

SinoStatus sino_fista_insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoUpdate voxels = {.formula = SINO_UPDATE_VOXELS_FISTA, .argument = {run->bounds.least, run->bounds.most}};
    const int from = is_proximal(run->own) ? SINO_FISTA_U : SINO_FISTA_G;
    return sino_fista_insert_sums(run, minibatch, iteration, &voxels, 3,
                                  (const int[]){from, SINO_FISTA_X, SINO_FISTA_Y});
}

SinoStatus sino_fista_insert_momentum(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *sums)
{
    const SinoFista *own = run->own;
    return sino_fista_insert_rule(run, minibatch, iteration, SINO_RULE_MOMENTUM_FISTA,
                                  own->subset_count > 1 ? t_most_of_subsets : t_most, sums);
}

SinoStatus sino_fista_insert_change(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    SINO_TRY(own->lower(run, minibatch, iteration));
    SINO_TRY(sino_fista_insert_voxels(run, minibatch, iteration));
    return sino_fista_insert_momentum(run, minibatch, iteration, minibatch->vector[SINO_FISTA_SUMS][0]);
}

SinoStatus sino_fista_iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    for (int64_t k = 0; k < sino_fista_turns(own->subset_count, iteration); k++) {
        SINO_TRY(sino_fista_insert_back(run, minibatch, iteration, k));
        SINO_TRY(sino_fista_insert_change(run, minibatch, iteration));
        SINO_TRY(sino_fista_insert_residual(run, minibatch, iteration, k));
    }
    return sino_fista_insert_record(run, minibatch, iteration);
}

enum { THIRDS = 3 };

/* Adds to x the gain of its voxels from g, in G, and AᵀW 1 of a share of the rays, in Y. A core takes long for all
 * slices, so that tasks of a third each write to vectors that are free now. */
static SinoStatus insert_details(SinoSolverRun *run, SinoMinibatch *minibatch, double share)
{
    static const int gain[THIRDS] = {SINO_FISTA_U, SINO_FISTA_P, SINO_FISTA_D};
    const int64_t last = run->iterations, count = sino_smaller(THIRDS, minibatch->slices.slice_count);
    const SinoFista *own = run->own;
    SinoDetailTask detail = {.tiles = sino_fista_tiles(run, minibatch),
                             .scratch = own->scratch,
                             .tables = own->tables,
                             .share = share,
                             .slices.step = count,
                             .g = minibatch->vector[SINO_FISTA_G],
                             .m = minibatch->vector[SINO_FISTA_Y],
                             .x = minibatch->vector[SINO_FISTA_X]};
    for (int64_t i = 0; i < count; i++) {
        detail.slices.first = i;
        detail.u = minibatch->vector[gain[i]];
        SINO_TRY(sino_insert_detail(run->runtime, sino_minibatch_at(minibatch, last, -1), &detail));
    }
    for (int64_t i = 0; i < count; i++) {
        SINO_TRY(sino_fista_insert_support(run, minibatch, last, gain[i]));
        SINO_TRY(sino_insert_addend(run, minibatch, last, gain[i], SINO_FISTA_X, false));
    }
    return NULL;
}

/* Gives back contrast that the prior has flattened (codelets/solvers/detail.h). Q has W(b − A y) of each subset before
 * its last turn, which is near enough to the one of x. AᵀW 1 of one turn's subsets is near the one of all. */
SinoStatus sino_fista_finish(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    const int64_t last = run->iterations;
    const Turn all = {0, own->subset_count}, some = turn_of(own, last, 0);
    if (!own->prior) return NULL;
    SINO_TRY(insert_backprojection(run, minibatch, last, all, SINO_FISTA_Q, SINO_FISTA_G));
    SINO_TRY(insert_backprojection(run, minibatch, last, some, SINO_FISTA_W, SINO_FISTA_Y));
    return insert_details(run, minibatch, (double)(some.end - some.first) / (double)own->subset_count);
}

SinoFinishWork sino_fista_finish_work(int64_t subset_count, int64_t iterations)
{
    enum { OF_ADDEND = 3, OF_DETAILS = 3 + THIRDS /* g, m, x; gains */ };
    const double all = (double)subset_count, some = (double)turn_size(subset_count, iterations);
    return (SinoFinishWork){.backprojections = 1 + some / all,
                            .flops = SINO_DETAIL_FLOPS,
                            .vectors = OF_DETAILS + OF_ADDEND * (THIRDS + all - 1 + some - 1),
                            .tasks = THIRDS};
}

int64_t sino_fista_scratch_bytes(const SinoProblem *problem)
{
    return sino_detail_bytes(problem->geometry.grid_size);
}

const SinoSolver sino_solver_fista = {
    .choice = SINO_ALGORITHM_FISTA,
    .iterative = true,
    .has_subsets = true,
    .turns = sino_fista_turns,
    .tiles = true,
    .prior_vectors = prior_vectors,
    .whole_slices = "fista compares neighbouring voxels",
    .vectors = {.count = SINO_FISTA_PLANE_VECTORS, .buffer = vectors, .tomogram = SINO_FISTA_X},
    .weights = &sino_fista_weight_vectors,
    .projection = SINO_FISTA_Q,
    .scratch_bytes = sino_fista_scratch_bytes,
    .prepare = sino_fista_prepare,
    .release = sino_fista_release,
    .start = sino_fista_start,
    .iterate = sino_fista_iterate,
    .finish = sino_fista_finish,
    .finish_work = sino_fista_finish_work};
