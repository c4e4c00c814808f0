/* SPDX-License-Identifier: BSD-3-Clause */
/* MLEM: x = x/s · Aᵀ(b/A x) with the sensitivity s = Aᵀ1, which maximises the likelihood of Poisson-distributed counts
 * b (L. Shepp and Y. Vardi, IEEE Trans. Med. Imaging 1, 113 (1982)). OSEM does the same with one subset of the rays
 * after another, so that an iteration has as many updates as there are subsets (H. Hudson and R. Larkin, IEEE Trans.
 * Med. Imaging 13, 601 (1994)).
 *
 * A ray without a value has the ratio 1, and s includes it: this is EM with missing counts, whose expectations are A x.
 * The likelihood of the other counts grows in every iteration, and all slices share s.
 *
 * Rules. The start is Σb/Σs in every voxel that a ray meets, 0 elsewhere. Values of b below 0 count as 0. Rays with A x
 * = 0 have ratio 0. Voxels that no ray of a subset meets keep their value. x is never negative.
 *
 * The residual ‖A x − b‖² of an iteration is the sum over the subsets, each computed just before the subset's next
 * turn. With one subset it is the residual of the new x. */
#include "memory.h"
#include "solver.h"
#include "subset_task.h"
#include "update_task.h"

#include <stdlib.h>

/* B: the sinogram. W: A x, then the ratio b/A x, by subset. X: the tomogram. G: the factor that x is multiplied with.
 * PART: the sinogram by subset. */
enum { B, W, X, G, PART, VECTORS };

static const SinoBuffer vectors[VECTORS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [W] = {"projection", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [PART] = {"subset of the sinogram", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

/* Vectors that the sensitivities are computed from: ones, and Aᵀ1 of a subset. */
enum { ONES, SENSITIVITY, WEIGHT_VECTORS };
static const SinoBuffer weight_buffers[WEIGHT_VECTORS] = {
    [ONES] = {"ones", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SENSITIVITY] = {"sensitivity", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
static const SinoVectors weight_vectors = {.count = WEIGHT_VECTORS, .buffer = weight_buffers, .tomogram = SENSITIVITY};

/* SinoSolverRun.own. */
typedef struct Weights {
    int64_t subset_count;
    int64_t *order;     /* [subset_count]: the order in which subsets have their turns; owned */
    SinoData ***weight; /* [subset][partition]: 1/s of the subset, 0 where s is 0; owned */
    double total;       /* Σ s of all voxels and subsets */
} Weights;

static int64_t subset_rays(const SinoSolverRun *run, int64_t subset)
{
    return run->op->shape.extent[SINO_ROWS_SUBSET].rows[subset];
}

/* The order: 0 … count − 1 by reversed bits, so that consecutive subsets have angles far apart. */
static void order_subsets(int64_t count, int64_t *order)
{
    int bits = 0;
    int64_t made = 0;
    while ((int64_t)1 << bits < count) bits++;
    for (int64_t i = 0; i < (int64_t)1 << bits; i++) {
        int64_t reversed = 0;
        for (int b = 0; b < bits; b++) reversed |= (i >> b & 1) << (bits - 1 - b);
        if (reversed < count) order[made++] = reversed;
    }
}

/* Computes the sensitivity s of a subset, adds Σ s over all voxels to `total`, and replaces s by 1/s. */
static SinoStatus insert_sensitivity(SinoSolverRun *run, SinoMinibatch *weights, int64_t subset, SinoData **total)
{
    const int64_t count = sino_solver_partitions(run);
    SinoUpdateTask ones = {
        .update = {.formula = SINO_UPDATE_ONES, .slices = weights->slices, .rows = subset_rays(run, subset)},
        .vector = {weights->vector[ONES][subset]}};
    SINO_TRY(sino_insert_update(run->runtime, SINO_NOWHERE, &ones));
    SINO_TRY(sino_insert_backproject_subset(weights, -1, subset, ONES, SENSITIVITY));
    for (int64_t p = 0; p < count; p++) {
        SinoUpdateTask sum = {.update = {.formula = SINO_UPDATE_TOTAL_MLEM,
                                         .slices = weights->slices,
                                         .rows = sino_solver_voxels(run, p),
                                         .add = p > 0},
                              .vector = {weights->vector[SENSITIVITY][p]},
                              .sums = weights->sums};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(weights, -1, p), &sum));
    }
    SINO_TRY(sino_insert_collect(weights, -1, total));
    for (int64_t p = 0; p < count; p++) {
        SinoUpdateTask invert = {.update = {.formula = SINO_UPDATE_RECIPROCAL,
                                            .slices = weights->slices,
                                            .rows = sino_solver_voxels(run, p)},
                                 .vector = {weights->vector[SENSITIVITY][p]}};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(weights, -1, p), &invert));
    }
    return NULL;
}

/* Computes the weights of a subset; they outlive the minibatch in which they are computed. */
static SinoStatus prepare_subset(SinoSolverRun *run, int64_t subset, Weights *own)
{
    SinoMinibatch *weights = NULL;
    SinoData *total = NULL;
    void *sums;
    SINO_TRY(sino_solver_new_weights(run, &weight_vectors, &weights));
    SinoStatus status = insert_sensitivity(run, weights, subset, &total);
    if (!status) status = sino_data_acquire(total, SINO_READ, &sums);
    if (!status) {
        own->total += ((const SinoSliceSums *)sums)->sum[SINO_SUM_TOTAL];
        sino_data_release(total);
    }
    own->weight[subset] = weights->vector[SENSITIVITY];
    weights->vector[SENSITIVITY] = NULL;
    sino_minibatch_free(weights);
    return status;
}

static SinoStatus prepare(SinoSolverRun *run)
{
    Weights *own = NULL;
    const int64_t count = run->op->problem.subset_count;
    SINO_TRY(sino_allocate(1, sizeof *own, "MLEM's weights", &own));
    run->own = own;
    own->subset_count = count;
    SINO_TRY(sino_allocate(count, sizeof *own->order, "MLEM's weights", &own->order));
    SINO_TRY(sino_allocate(count, sizeof *own->weight, "MLEM's weights", &own->weight));
    order_subsets(count, own->order);
    for (int64_t s = 0; s < count; s++) SINO_TRY(prepare_subset(run, s, own));
    return NULL;
}

static void release(SinoSolverRun *run)
{
    Weights *own = run->own;
    if (!own) return;
    for (int64_t s = 0; own->weight && s < own->subset_count; s++)
        sino_data_free_each(own->weight[s], sino_solver_partitions(run));
    free(own->weight);
    free(own->order);
    free(own);
    run->own = NULL;
}

/* The sinogram of a subset; with a single subset, the sinogram itself. */
static SinoData *subset_of(const SinoMinibatch *minibatch, int64_t subset)
{
    return minibatch->vectors->count == VECTORS ? minibatch->vector[PART][subset] : minibatch->vector[B][0];
}

static SinoStatus insert_subsets(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    int64_t first = 0;
    for (int64_t s = 0; minibatch->vectors->count == VECTORS && s < run->op->problem.subset_count; s++) {
        const SinoSubset part = {
            .total_rows = sino_solver_rays(run), .first_row = first, .row_count = subset_rays(run, s)};
        SINO_TRY(sino_insert_subset(run->runtime, sino_minibatch_at(minibatch, 0, -1), minibatch->slices, &part,
                                    minibatch->vector[B][0], minibatch->vector[PART][s]));
        first += part.row_count;
    }
    return NULL;
}

/* Computes A x of the k-th subset in turn and its ratio. Its residuals are added to those of earlier turns; `first_sum`
 * starts the sum. */
static SinoStatus insert_ratio(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k,
                               bool first_sum)
{
    const Weights *own = run->own;
    const int64_t subset = own->order[k % own->subset_count];
    const SinoUpdateTask ratio = {.update = {.formula = SINO_UPDATE_RATIO_MLEM,
                                             .slices = minibatch->slices,
                                             .rows = subset_rays(run, subset),
                                             .add = !first_sum},
                                  .vector = {subset_of(minibatch, subset), minibatch->vector[W][subset]},
                                  .sums = minibatch->sums};
    SINO_TRY(sino_insert_project_subset(minibatch, iteration, subset, X, W));
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), &ratio);
}

/* Updates x in the k-th subset's turn. */
static SinoStatus insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k)
{
    const Weights *own = run->own;
    const int64_t subset = own->order[k];
    SINO_TRY(sino_insert_backproject_subset(minibatch, iteration, subset, W, G));
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        const SinoUpdateTask voxels = {
            .update = {.formula = SINO_UPDATE_VOXELS_MLEM,
                       .slices = minibatch->slices,
                       .rows = sino_solver_voxels(run, p)},
            .vector = {minibatch->vector[G][p], own->weight[subset][p], minibatch->vector[X][p]},
            .state = minibatch->state};
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &voxels));
    }
    return NULL;
}

/* Starts x with the same value in every voxel that a ray of some subset meets. */
static SinoStatus insert_start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const Weights *own = run->own;
    for (int64_t s = 0; s < own->subset_count; s++)
        for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
            const SinoUpdateTask voxels = {.update = {.formula = SINO_UPDATE_START_MLEM,
                                                      .slices = minibatch->slices,
                                                      .rows = sino_solver_voxels(run, p),
                                                      .first = s == 0},
                                           .vector = {own->weight[s][p], minibatch->vector[X][p]},
                                           .state = minibatch->state};
            SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, 0, p), &voxels));
        }
    return NULL;
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const Weights *own = run->own;
    SinoData *sums;
    SINO_TRY(sino_solver_begin(run, minibatch, SINO_UPDATE_TOTAL_MLEM, &sums));
    SINO_TRY(sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, 0, -1), SINO_RULE_SCALE_MLEM,
                                       minibatch->slices, true, own->total, sums, minibatch->state));
    SINO_TRY(insert_subsets(run, minibatch));
    SINO_TRY(insert_start(run, minibatch));
    return insert_ratio(run, minibatch, 0, 0, true);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Weights *own = run->own;
    for (int64_t k = 0; k < own->subset_count; k++) {
        SINO_TRY(insert_voxels(run, minibatch, iteration, k));
        SINO_TRY(insert_ratio(run, minibatch, iteration, k + 1, k == 0));
    }
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_mlem = {.choice = SINO_ALGORITHM_MLEM,
                                     .iterative = true,
                                     .vectors = {.count = PART, .buffer = vectors, .tomogram = X},
                                     .weights = &weight_vectors,
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};

const SinoSolver sino_solver_osem = {.choice = SINO_ALGORITHM_OSEM,
                                     .iterative = true,
                                     .has_subsets = true,
                                     .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                     .weights = &weight_vectors,
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};
