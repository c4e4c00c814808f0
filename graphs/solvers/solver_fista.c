/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA: the x ≥ least (0, or none) that minimises
 *
 *     ½ Σ w (A x − b)² + strength · TV(x)
 *
 * by proximal gradient steps with momentum (A. Beck and M. Teboulle, SIAM J. Imaging Sci. 2, 183 (2009)), whose
 * momentum starts again where it points away from the descent (update_formulas.h):
 *
 *     g = AᵀW(b − A y);  z = y + g/L;  u = min over u ≥ least of ½‖u − z‖² + strength/L · TV(u);
 *     y = u + beta·(u − x);  x = u
 *
 * TV is the isotropic total variation of a slice (codelets/variation.h). Its minimum is sought by DUAL_STEPS steps from
 * the dual vectors of the last iteration, which come closer with every iteration. w is the weight of each ray
 * (sino_formula_weigh_rays). Every slice has its own L, bounded by a sum over the rows of AᵀW A
 * (sino_rule_step_fista).
 *
 * The start is x = FBP of b, which has the fine structure that gradient steps find last: 30 iterations then come as
 * far as 75 from zero (docs/QUALITY.md). A y follows from A x of this and the last iteration, so that the residual in
 * the history is that of x. */
#include "arithmetic.h"
#include "memory.h"
#include "solver.h"
#include "solver_fbp.h"
#include "update_task.h"
#include "variation_task.h"

#include <math.h>
#include <stdlib.h>

enum { DUAL_STEPS = 5 }; /* with 3 some problems end 1e-4 above the minimum, with 5 within 1e-7 (tests/test_fista.c) */

/* B: the sinogram. W: weights of rays. AX: A x of the last iteration. Q: A x, then W(b − A y). G: the gradient, then z.
 * U: the x to come. P, D: dual vectors. COMPLETED: for FBP of a half acquisition. */
enum { B, W, AX, Q, X, Y, G, U, P, D, COMPLETED, VECTORS };

static const SinoBuffer vectors[VECTORS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [W] = {"weights", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [AX] = {"last projection", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [Q] = {"projection", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [Y] = {"extrapolated tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [U] = {"next tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [P] = {"dual across", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [D] = {"dual down", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [COMPLETED] = {"completed projections", SINO_ROWS_COMPLETED, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

/* Vectors of the one-slice minibatch in which A 1 and AᵀA 1 are computed. */
enum { ROW_SUMS, ONES, CURVATURE, WEIGHT_VECTORS };
static const SinoBuffer weight_buffers[WEIGHT_VECTORS] = {
    [ROW_SUMS] = {"projection", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [ONES] = {"ones", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [CURVATURE] = {"curvature", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
static const SinoVectors weight_vectors = {.count = WEIGHT_VECTORS, .buffer = weight_buffers, .tomogram = CURVATURE};

typedef struct Fista {
    SinoData *row_sums;   /* A 1: [ray] */
    double curvature;     /* largest (AᵀA 1)_j */
    SinoSolverRun filter; /* of FBP, for the start */
    SinoTiling tiling;
    SinoTileNeighbours *neighbour; /* NULL: no prior; owned */
    SinoData *tiles, *neighbours;  /* the tables of tiles as data; NULL: no prior, or no device computes */
    double least;                  /* of x */
} Fista;

static void release(SinoSolverRun *run)
{
    Fista *own = run->own;
    if (!own) return;
    sino_solver_fbp.release(&own->filter);
    sino_data_free(own->row_sums);
    sino_data_free(own->tiles);
    sino_data_free(own->neighbours);
    free(own->neighbour);
    free(own);
    run->own = NULL;
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

/* Inserts the tasks of A 1 and AᵀA 1. */
static SinoStatus insert_row_sums(SinoSolverRun *run, SinoMinibatch *sums)
{
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask ones = {
            .update = {.formula = SINO_UPDATE_ONES, .slices = sums->slices, .rows = sino_solver_voxels(run, p)},
            .vector = {sums->vector[ONES][p]}};
        if (ones.update.rows > 0) SINO_TRY(sino_insert_update(run->runtime, SINO_NOWHERE, &ones));
    }
    SINO_TRY(sino_insert_project(sums, -1, ONES, ROW_SUMS));
    return sino_insert_backproject(sums, -1, ROW_SUMS, CURVATURE);
}

static SinoStatus sum_rows(SinoSolverRun *run, Fista *own)
{
    SinoMinibatch *sums = NULL;
    SINO_TRY(sino_solver_new_weights(run, &weight_vectors, &sums));
    SinoStatus status = sino_runtime_wait_after(run->runtime, insert_row_sums(run, sums));
    if (!status) status = find_largest(run, sums, &own->curvature);
    own->row_sums = sums->vector[ROW_SUMS][0];
    sums->vector[ROW_SUMS][0] = NULL;
    sino_minibatch_free(sums);
    return status;
}

/* Makes the tables that the prior needs. */
static SinoStatus prepare_prior(const SinoSolverRun *run, Fista *own)
{
    const int64_t count = own->tiling.first[own->tiling.partition_count];
    const int64_t tile_bytes = sino_times(count, sizeof *own->tiling.tile);
    const int64_t neighbour_bytes = sino_times(count, sizeof *own->neighbour);
    SINO_TRY(sino_allocate(count, sizeof *own->neighbour, "tiles", &own->neighbour));
    SINO_TRY(sino_variation_neighbours(run->op->problem.geometry.grid_size, count, own->tiling.tile, own->neighbour));
    if (sino_runtime_devices(run->runtime) == SINO_DEVICE_CPU) return NULL;
    SINO_TRY(sino_data_copy(run->runtime, "tiles", own->tiling.tile, tile_bytes, &own->tiles));
    return sino_data_copy(run->runtime, "neighbours", own->neighbour, neighbour_bytes, &own->neighbours);
}

static SinoStatus prepare(SinoSolverRun *run)
{
    Fista *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "FISTA's weights", &own));
    run->own = own;
    own->filter = *run;
    own->filter.own = NULL;
    own->least = run->settings->nonnegativity ? 0 : (double)-INFINITY;
    own->tiling = run->op->kind->tiling(run->op);
    if (run->strength > 0) SINO_TRY(prepare_prior(run, own));
    SINO_TRY(sino_solver_fbp.prepare(&own->filter));
    return sum_rows(run, own);
}

/* Applies a formula, which may have sums, to ray vectors. */
static SinoStatus insert_rays(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoUpdateTask *task)
{
    task->update.slices = minibatch->slices;
    task->update.rows = sino_solver_rays(run);
    task->sums = sino_update_row[task->update.formula].sums > 0 ? minibatch->sums : NULL;
    task->part_count = minibatch->part_count;
    task->part_sums = minibatch->part_sums;
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), task);
}

/* Inserts a rule that takes the sums of all ranks. */
static SinoStatus insert_rule(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoUpdateRule rule,
                              double argument)
{
    SinoData *sums;
    SINO_TRY(sino_insert_collect(minibatch, iteration, &sums));
    return sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, iteration, -1), rule, minibatch->slices,
                                     false, argument, sums, minibatch->state);
}

/* Finds the weights of rays, and from them the step length of every slice. */
static SinoStatus insert_step(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const Fista *own = run->own;
    const SinoUpdate curvature = {.formula = SINO_UPDATE_CURVATURE,
                                  .argument = {own->curvature > 0 ? 1 / own->curvature : 0}};
    SinoUpdateTask weigh = {.update = {.formula = SINO_UPDATE_WEIGH_RAYS, .argument = {run->photon_weights ? 1 : 0}},
                            .vector = {minibatch->vector[B][0], minibatch->vector[W][0]}};
    SinoUpdateTask majorise = {.update = {.formula = SINO_UPDATE_MAJORISE},
                               .vector = {own->row_sums, minibatch->vector[W][0], minibatch->vector[Q][0]}};
    SINO_TRY(insert_rays(run, minibatch, 0, &weigh));
    SINO_TRY(insert_rays(run, minibatch, 0, &majorise));
    SINO_TRY(sino_insert_backproject(minibatch, 0, Q, G));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, 0, &curvature, 1, (const int[]){G}));
    SINO_TRY(insert_rule(run, minibatch, 0, SINO_RULE_STEP_FISTA, own->curvature));
    return insert_rule(run, minibatch, 0, SINO_RULE_STRENGTH_FISTA, run->strength);
}

static SinoStatus insert_zeros(SinoSolverRun *run, SinoMinibatch *minibatch, int vector)
{
    const SinoUpdate zero = {.formula = SINO_UPDATE_ZERO};
    return sino_solver_update_voxels(run, minibatch, 0, &zero, 1, &vector);
}

/* Projects x, and turns A x into W(b − A y). */
static SinoStatus insert_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    SinoUpdateTask residual = {
        .update = {.formula = SINO_UPDATE_RESIDUAL_FISTA,
                   .first = iteration == 0,
                   .argument = {(double)(iteration % 2)}},
        .vector = {minibatch->vector[B][0], minibatch->vector[W][0], minibatch->vector[AX][0], minibatch->vector[Q][0]},
        .state = minibatch->state};
    SINO_TRY(sino_insert_project(minibatch, iteration, X, Q));
    return insert_rays(run, minibatch, iteration, &residual);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    Fista *own = run->own;
    const SinoUpdate begin = {.formula = SINO_UPDATE_START_FISTA, .argument = {own->least, run->halved ? 2 : 1}};
    SinoUpdateTask copy = {.update = {.formula = SINO_UPDATE_COPY},
                           .vector = {minibatch->vector[B][0], minibatch->vector[Q][0]}};
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(insert_step(run, minibatch));
    SINO_TRY(insert_rays(run, minibatch, 0, &copy));
    SINO_TRY(sino_insert_fbp(&own->filter, minibatch, 0, Q, COMPLETED, X));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, 0, &begin, 2, (const int[]){X, Y}));
    if (own->neighbour) {
        SINO_TRY(insert_zeros(run, minibatch, U)); /* outside of the grid the prior leaves it as it is */
        SINO_TRY(insert_zeros(run, minibatch, P));
        SINO_TRY(insert_zeros(run, minibatch, D));
    }
    return insert_residual(run, minibatch, 0);
}

/* Computes U from z, which is in G. */
static SinoStatus insert_prior(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Fista *own = run->own;
    SinoVariationTask task = {.variation = {.slices = minibatch->slices,
                                            .grid_size = run->op->problem.geometry.grid_size,
                                            .part_count = own->tiling.partition_count,
                                            .first_tile = own->tiling.first,
                                            .tile = own->tiling.tile,
                                            .neighbour = own->neighbour,
                                            .least = own->least},
                              .p = minibatch->vector[P],
                              .q = minibatch->vector[D],
                              .u = minibatch->vector[U],
                              .state = minibatch->state,
                              .tiles = own->tiles,
                              .neighbours = own->neighbours};
    for (int half = 0; half <= 2 * DUAL_STEPS; half++)
        for (int64_t p = 0; p < own->tiling.partition_count; p++) {
            const SinoPosition position = sino_minibatch_at(minibatch, iteration, p);
            task.variation.part = p;
            if (sino_solver_voxels(run, p) == 0) continue;
            SINO_TRY(half % 2 == 0
                         ? sino_insert_variation_primal(run->runtime, position, &task, minibatch->vector[G][p])
                         : sino_insert_variation_dual(run->runtime, position, &task));
        }
    return NULL;
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Fista *own = run->own;
    const double odd = (double)(iteration % 2);
    const SinoUpdate descend = {.formula = SINO_UPDATE_DESCEND_FISTA};
    const SinoUpdate voxels = {.formula = SINO_UPDATE_VOXELS_FISTA, .argument = {own->least, odd}};
    SINO_TRY(sino_insert_backproject(minibatch, iteration, Q, G));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, iteration, &descend, 2, (const int[]){Y, G}));
    if (own->neighbour) SINO_TRY(insert_prior(run, minibatch, iteration));
    SINO_TRY(
        sino_solver_update_voxels(run, minibatch, iteration, &voxels, 3, (const int[]){own->neighbour ? U : G, X, Y}));
    SINO_TRY(insert_rule(run, minibatch, iteration, SINO_RULE_MOMENTUM_FISTA, 1 - odd));
    SINO_TRY(insert_residual(run, minibatch, iteration));
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_fista = {.choice = SINO_ALGORITHM_FISTA,
                                      .iterative = true,
                                      .whole_slices = "fista compares neighbouring voxels",
                                      .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                      .weights = &weight_vectors,
                                      .prepare = prepare,
                                      .release = release,
                                      .start = start,
                                      .iterate = iterate};
