/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensitivity: sums of A's columns by subset, and the updates of x that need them. */
#include "sensitivity.h"

#include "memory.h"
#include "solvers_tasks.h"

#include <stdlib.h>

enum { FACTORS, SENSITIVITY, WEIGHT_VECTORS };
static const SinoBuffer weight_buffers[WEIGHT_VECTORS] = {
    [FACTORS] = {"ones", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SENSITIVITY] = {"sensitivity", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
const SinoVectors sino_sensitivity_vectors = {
    .count = WEIGHT_VECTORS, .buffer = weight_buffers, .tomogram = SENSITIVITY};

/* How the sensitivities are made. */
typedef struct Source {
    SinoData *const *factor;
    SinoData *known;
} Source;

/* Writes the sensitivity of a subset. */
static SinoStatus insert_sensitivity(SinoSolverRun *run, SinoMinibatch *weights, int64_t subset, const Source *source)
{
    const SinoProduct product = {.position = SINO_NOWHERE, .slices = weights->slices, .subset = subset};
    SinoUpdateTask task = {.update = {.slices = weights->slices}};
    if (source->known) {
        task.update.formula = SINO_UPDATE_SHARE;
        task.update.rows = sino_solver_voxels(run, 0);
        task.update.argument[0] = 1 / (double)run->op->problem.subset_count;
        task.vector[0] = source->known;
        task.vector[1] = weights->vector[SENSITIVITY][0];
        return sino_insert_update(run->runtime, SINO_NOWHERE, &task);
    }
    if (source->factor)
        return run->op->kind->backproject(weights->work, &product, source->factor[subset],
                                          weights->vector[SENSITIVITY]);
    task.update.formula = SINO_UPDATE_ONES;
    task.update.rows = run->op->shape.extent[SINO_ROWS_SUBSET].rows[subset];
    task.vector[0] = weights->vector[FACTORS][subset];
    SINO_TRY(sino_insert_update(run->runtime, SINO_NOWHERE, &task));
    return sino_insert_backproject_subset(weights, -1, subset, FACTORS, SENSITIVITY);
}

/* Computes the sensitivity s of a subset, adds Σ s over all voxels to the sums of the minibatch, which the `first`
 * subset starts, and replaces s by 1/s. */
static SinoStatus insert_weights(SinoSolverRun *run, SinoMinibatch *weights, int64_t subset, const Source *source,
                                 bool first)
{
    const int64_t count = sino_solver_partitions(run);
    SINO_TRY(insert_sensitivity(run, weights, subset, source));
    for (int64_t p = 0; p < count; p++) {
        SinoUpdateTask sum = {.update = {.formula = SINO_UPDATE_TOTAL_MLEM,
                                         .slices = weights->slices,
                                         .rows = sino_solver_voxels(run, p),
                                         .add = p > 0 || !first},
                              .vector = {weights->vector[SENSITIVITY][p]},
                              .sums = weights->sums};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(weights, -1, p), &sum));
        SinoUpdateTask invert = {.update = {.formula = SINO_UPDATE_RECIPROCAL,
                                            .slices = weights->slices,
                                            .rows = sino_solver_voxels(run, p),
                                            .argument = {sino_solver_least_sum(run)}},
                                 .vector = {weights->vector[SENSITIVITY][p]}};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(weights, -1, p), &invert));
    }
    return NULL;
}

/* Inserts the tasks of all subsets. The weights of a subset outlive the minibatch, which gets another vector. */
static SinoStatus insert_subsets(SinoSolverRun *run, SinoMinibatch *weights, const Source *source,
                                 SinoSensitivity *made)
{
    static const SinoBatch one = {.stride = 1, .history_numbers = 1};
    for (int64_t s = 0; s < made->subset_count; s++) {
        if (!weights->vector[SENSITIVITY])
            SINO_TRY(sino_buffer_new(run->runtime, &weight_buffers[SENSITIVITY], &run->op->shape, one,
                                     &weights->vector[SENSITIVITY]));
        SINO_TRY(insert_weights(run, weights, s, source, s == 0));
        made->weight[s] = weights->vector[SENSITIVITY];
        weights->vector[SENSITIVITY] = NULL;
    }
    return NULL;
}

static SinoStatus read_total(const SinoSolverRun *run, SinoMinibatch *weights, double *total)
{
    const int64_t copies = run->op->replicated ? run->op->ranks->shape.data_count : 1;
    SinoData *all = NULL;
    void *sums;
    SINO_TRY(sino_insert_collect(weights, -1, &all));
    SINO_TRY(sino_data_acquire(all, SINO_READ, &sums));
    *total = ((const SinoSliceSums *)sums)->sum[SINO_SUM_TOTAL] / (double)copies;
    sino_data_release(all);
    return NULL;
}

/* Computes the weights of all subsets in one minibatch. */
static SinoStatus prepare_subsets(SinoSolverRun *run, const Source *source, SinoSensitivity *made)
{
    SinoMinibatch *weights = NULL;
    SINO_TRY(sino_solver_new_weights(run, &sino_sensitivity_vectors, &weights));
    SinoStatus status = insert_subsets(run, weights, source, made);
    if (!status) status = read_total(run, weights, &made->total);
    status = sino_runtime_wait_after(run->runtime, status); /* tasks read maps that the minibatch owns */
    sino_minibatch_free(weights);
    return status;
}

SinoStatus sino_sensitivity_new(SinoSolverRun *run, SinoData *const *factor, SinoData *known,
                                SinoSensitivity **sensitivity)
{
    const Source source = {.factor = factor, .known = known};
    const int64_t count = run->op->problem.subset_count;
    SinoSensitivity *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "MLEM's weights", &made));
    *sensitivity = made;
    made->subset_count = count;
    SINO_TRY(sino_solver_order_subsets(count, &made->order));
    SINO_TRY(sino_allocate(count, sizeof *made->weight, "MLEM's weights", &made->weight));
    return prepare_subsets(run, &source, made);
}

void sino_sensitivity_free(const SinoSolverRun *run, SinoSensitivity *sensitivity)
{
    if (!sensitivity) return;
    for (int64_t s = 0; sensitivity->weight && s < sensitivity->subset_count; s++)
        sino_data_free_each(sensitivity->weight[s], sino_solver_partitions(run));
    free(sensitivity->weight);
    free(sensitivity->order);
    free(sensitivity);
}

SinoStatus sino_sensitivity_start(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoMinibatch *minibatch,
                                  SinoData *sums, int64_t x)
{
    SINO_TRY(sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, 0, -1), SINO_RULE_SCALE_MLEM,
                                       minibatch->slices, true, sensitivity->total, sums, minibatch->state));
    for (int64_t s = 0; s < sensitivity->subset_count; s++)
        for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
            const SinoUpdateTask voxels = {.update = {.formula = SINO_UPDATE_START_MLEM,
                                                      .slices = minibatch->slices,
                                                      .rows = sino_solver_voxels(run, p),
                                                      .first = s == 0},
                                           .vector = {sensitivity->weight[s][p], minibatch->vector[x][p]},
                                           .state = minibatch->state};
            SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, 0, p), &voxels));
        }
    return NULL;
}

SinoStatus sino_sensitivity_update(SinoSolverRun *run, const SinoSensitivity *sensitivity, SinoMinibatch *minibatch,
                                   int64_t iteration, int64_t subset, int64_t g, int64_t x)
{
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask voxels = {
            .update = {.formula = SINO_UPDATE_VOXELS_MLEM,
                       .slices = minibatch->slices,
                       .rows = sino_solver_voxels(run, p)},
            .vector = {minibatch->vector[g][p], sensitivity->weight[subset][p], minibatch->vector[x][p]},
            .state = minibatch->state};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &voxels));
    }
    return NULL;
}
