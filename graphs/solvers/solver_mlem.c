/* SPDX-License-Identifier: BSD-3-Clause */
/* MLEM: x = x/s · Aᵀ(b/A x) with the sensitivity s = Aᵀ1, which maximises the likelihood of Poisson-distributed counts
 * b (L. Shepp and Y. Vardi, IEEE Trans. Med. Imaging 1, 113 (1982)). OSEM does the same with one subset of the rays
 * after another, so that an iteration has as many updates as there are subsets (H. Hudson and R. Larkin, IEEE Trans.
 * Med. Imaging 13, 601 (1994)).
 *
 * A ray without a value has the ratio 1, and s includes it: this is EM with missing counts, whose expectations are A x.
 * The likelihood of the other counts grows in every iteration, and all slices share s.
 *
 * Rules. The start is Σb/Σs in every voxel that a ray meets, 0 elsewhere, or an image of the caller's. Values of b
 * below 0 count as 0. Rays with A x = 0 have ratio 0. Voxels that no ray of a subset meets keep their value. x is never
 * negative.
 *
 * The residual ‖A x − b‖² and the log-likelihood Σ b ln(A x) − A x of an iteration are sums over the subsets, each
 * computed just before the subset's next turn. With one subset they are those of the new x. */
#include "sensitivity.h"
#include "solvers_tasks.h"

/* B: the sinogram. W: A x, then the ratio b/A x, by subset. X: the tomogram. G: the factor that x is multiplied with.
 * PART: the sinogram by subset. */
enum { B, W, X, G, PART, VECTORS };

static const SinoBuffer vectors[VECTORS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [W] = {"projection", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [PART] = {"subset of the sinogram", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

static SinoStatus prepare(SinoSolverRun *run)
{
    SinoSensitivity *own = NULL;
    SinoStatus status = sino_sensitivity_new(run, NULL, NULL, &own);
    run->own = own;
    return status;
}

static void release(SinoSolverRun *run)
{
    sino_sensitivity_free(run, run->own);
    run->own = NULL;
}

/* The sinogram of a subset; with a single subset, the sinogram itself. */
static SinoData *subset_of(const SinoMinibatch *minibatch, int64_t subset)
{
    return minibatch->vectors->count == VECTORS ? minibatch->vector[PART][subset] : minibatch->vector[B][0];
}

/* Computes A x of the k-th subset in turn and its ratio. Its residuals are added to those of earlier turns; `first_sum`
 * starts the sum. */
static SinoStatus insert_ratio(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k,
                               bool first_sum)
{
    const SinoSensitivity *own = run->own;
    const int64_t subset = own->order[k % own->subset_count];
    const SinoUpdateTask ratio = {.update = {.formula = SINO_UPDATE_RATIO_MLEM,
                                             .slices = minibatch->slices,
                                             .rows = run->op->shape.extent[SINO_ROWS_SUBSET].rows[subset],
                                             .add = !first_sum},
                                  .vector = {subset_of(minibatch, subset), minibatch->vector[W][subset]},
                                  .sums = minibatch->sums,
                                  .part_count = minibatch->part_count,
                                  .part_sums = minibatch->part_sums};
    SINO_TRY(sino_insert_project_subset(minibatch, iteration, subset, X, W));
    return sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, -1), &ratio);
}

/* Updates x in the k-th subset's turn. */
static SinoStatus insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k)
{
    const SinoSensitivity *own = run->own;
    const int64_t subset = own->order[k];
    SINO_TRY(sino_insert_backproject_subset(minibatch, iteration, subset, W, G));
    return sino_sensitivity_update(run, own, minibatch, iteration, subset, G, X);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoSensitivity *own = run->own;
    SinoData *sums;
    SINO_TRY(sino_solver_begin(run, minibatch, SINO_UPDATE_TOTAL_MLEM, &sums));
    if (minibatch->vectors->count == VECTORS) SINO_TRY(sino_solver_divide(run, minibatch, B, PART));
    SINO_TRY(sino_solver_is_started(run) ? sino_solver_fill(run, minibatch, X)
                                         : sino_sensitivity_start(run, own, minibatch, sums, X));
    return insert_ratio(run, minibatch, 0, 0, true);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoSensitivity *own = run->own;
    for (int64_t k = 0; k < own->subset_count; k++) {
        SINO_TRY(insert_voxels(run, minibatch, iteration, k));
        SINO_TRY(insert_ratio(run, minibatch, iteration, k + 1, k == 0));
    }
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_mlem = {.choice = SINO_ALGORITHM_MLEM,
                                     .iterative = true,
                                     .has_likelihood = true,
                                     .vectors = {.count = PART, .buffer = vectors, .tomogram = X},
                                     .weights = &sino_sensitivity_vectors,
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};

const SinoSolver sino_solver_osem = {.choice = SINO_ALGORITHM_OSEM,
                                     .iterative = true,
                                     .has_subsets = true,
                                     .has_likelihood = true,
                                     .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                     .weights = &sino_sensitivity_vectors,
                                     .prepare = prepare,
                                     .release = release,
                                     .start = start,
                                     .iterate = iterate};
