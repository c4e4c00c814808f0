/* SPDX-License-Identifier: BSD-3-Clause */
/* Penalty: the prior of BSREM, and its updates of x. */
#include "sensitivity.h"

#include "bricks_tasks.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

/* The typical value belongs to the object once x has had so many updates. */
enum { TYPICAL_UPDATES = 16 };

/* Where the quality of images of phantoms of 20 to 400 counts per voxel is best (docs/bricks.md). */
static const double usual_strength[] = {[false] = 2, [true] = 4}; /* [huber] */
static const double usual_threshold = 0.1;
/* Step lengths of several subsets fall so that x converges, and slowly enough for it to come there. */
static const double relaxation_fall = 0.1;

static const SinoBuffer buffers[] = {{"ones", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
                                     {"sensitivity", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
                                     {"kappa", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
const SinoVectors sino_penalty_vectors = {.count = 3, .buffer = buffers, .tomogram = 1};

/* Adds the sensitivities to a subset to `sum`. */
static SinoStatus add_sensitivity(SinoData *weights, int64_t rows, float *sum)
{
    void *weight;
    SINO_TRY(sino_data_acquire(weights, SINO_READ, &weight));
    for (int64_t i = 0; i < rows; i++) {
        const float inverse = ((const float *)weight)[i];
        if (inverse > 0) sum[i] += 1 / inverse;
    }
    sino_data_release(weights);
    return NULL;
}

static SinoStatus make_kappa(SinoSolverRun *run, const SinoSensitivity *sensitivity, float *kappa, SinoPenalty *made)
{
    const int64_t rows = sino_solver_voxels(run, 0);
    double total = 0;
    int64_t met = 0;
    for (int64_t s = 0; s < sensitivity->subset_count; s++)
        SINO_TRY(add_sensitivity(sensitivity->weight[s][0], rows, kappa));
    for (int64_t i = 0; i < rows; i++) {
        total += (double)kappa[i];
        met += kappa[i] > 0;
        kappa[i] = sqrtf(kappa[i]);
    }
    made->bsrem.sensitivity = (float)(total / (double)sino_larger(met, 1));
    return sino_data_copy(run->runtime, "kappa", kappa, sino_times(rows, (int64_t)sizeof *kappa), &made->kappa);
}

static SinoStatus make_data(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoPenalty *made)
{
    const SinoBrickOrder *order = run->op->problem.matrix->order;
    const int64_t bytes = (int64_t)sizeof *order->column;
    float *kappa = NULL;
    SINO_TRY(
        sino_data_borrow(run->runtime, "order", order->column, sino_times(order->row_count, bytes), &made->column));
    SINO_TRY(
        sino_data_borrow(run->runtime, "order", order->place, sino_times(order->column_count, bytes), &made->place));
    SINO_TRY(sino_allocate(order->row_count, sizeof *kappa, "the prior", &kappa));
    SinoStatus status = make_kappa(run, sensitivity, kappa, made);
    free(kappa);
    return status;
}

SinoStatus sino_penalty_new(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoPenalty **penalty)
{
    const SinoSettings *settings = run->settings;
    const SinoVoxelGrid *grid = &run->op->problem.matrix->outline.grid;
    const bool huber = settings->prior.kind == SINO_PRIOR_OF_HUBER;
    const double threshold = isnan(settings->prior.threshold) ? usual_threshold : settings->prior.threshold;
    SinoPenalty *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the prior", &made));
    *penalty = made;
    made->bsrem = (SinoBsrem){.rows = sino_solver_voxels(run, 0),
                              .count = {grid->x_count, grid->y_count, grid->z_count},
                              .huber = huber,
                              .threshold = (float)threshold,
                              .share = 1 / (float)sensitivity->subset_count,
                              .strength = (float)settings->prior.regularization,
                              .usual = (float)usual_strength[huber]};
    sino_bsrem_weights(grid, made->bsrem.weight);
    return make_data(run, sensitivity, made);
}

void sino_penalty_free(SinoPenalty *penalty)
{
    if (!penalty) return;
    sino_data_free(penalty->column);
    sino_data_free(penalty->place);
    sino_data_free(penalty->kappa);
    free(penalty);
}

SinoStatus sino_penalty_typical(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t x)
{
    const SinoUpdateTask sums = {
        .update = {.formula = SINO_UPDATE_TOTAL_MLEM, .slices = minibatch->slices, .rows = sino_solver_voxels(run, 0)},
        .vector = {minibatch->vector[x][0]},
        .sums = minibatch->sums};
    if ((iteration - 1) * run->op->problem.subset_count > TYPICAL_UPDATES) return NULL;
    SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, 0), &sums));
    return sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, iteration, -1), SINO_RULE_TYPICAL_BSREM,
                                     minibatch->slices, iteration == 1, 0, minibatch->sums, minibatch->state);
}

SinoStatus sino_penalty_strengths(const SinoPenalty *penalty, const SinoMinibatch *minibatch, double *strength)
{
    void *state;
    SINO_TRY(sino_data_acquire(minibatch->state, SINO_READ, &state));
    for (int64_t i = 0; i < minibatch->slices.slice_count; i++) {
        const double typical = ((const SinoSliceState *)state)[i].scalar[SINO_BSREM_TYPICAL];
        strength[i] = typical > 0 ? (double)sino_bsrem_strength(&penalty->bsrem, (float)typical) : (double)NAN;
    }
    sino_data_release(minibatch->state);
    return NULL;
}

SinoStatus sino_penalty_update(SinoSolverRun *run, const SinoPenalty *penalty, const SinoSensitivity *sensitivity,
                               SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t g, int64_t x)
{
    const double fall = sensitivity->subset_count > 1 ? relaxation_fall * (double)(iteration - 1) : 0;
    SinoData **const made = minibatch->vector[g];
    SinoBsrem bsrem = penalty->bsrem;
    bsrem.slices = minibatch->slices;
    bsrem.relaxation = (float)(1 / (1 + fall));
    SINO_TRY(sino_insert_bsrem(run->runtime, sino_minibatch_at(minibatch, iteration, 0), &bsrem, penalty->column,
                               penalty->place, penalty->kappa, sensitivity->weight[subset][0], minibatch->state,
                               minibatch->vector[x][0], made[0]));
    minibatch->vector[g] = minibatch->vector[x];
    minibatch->vector[x] = made;
    return NULL;
}
