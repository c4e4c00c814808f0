/* SPDX-License-Identifier: BSD-3-Clause */
/* MLEM, OSEM and BSREM of counts that a system matrix explains: ybar = n · A x + r, x = x/s · Aᵀ(n · g/ybar), s = Aᵀ n,
 * with factors n of the rows (normalisation times attenuation) and expected randoms and scatter r. The same algorithms
 * as in solver_mlem.c, where A is read once for each update: in sweeps. BSREM updates x by the same sweeps of subsets
 * and a prior (sensitivity.h), by steps that become shorter, so that x comes to the maximum of the likelihood with the
 * prior.
 *
 * Rules. The start is Σg/Σs in every voxel that a row meets, 0 elsewhere, or an image of the caller's. Rows with
 * ybar = 0 have the ratio 0: if they have counts, these are lost, which the caller tells. Voxels that no row of a
 * subset meets keep their value; BSREM changes them by the prior, if another subset meets them. x is never negative.
 *
 * The residual ‖ybar − g‖² and the log-likelihood Σ g ln(ybar) − ybar of an iteration are sums over the subsets, each
 * computed just before the subset's next turn. With one subset they are those of the new x. */
#include "memory.h"
#include "sensitivity.h"

#include <stdlib.h>

static const SinoBuffer vectors[] = {
    [SINO_COUNTS_G] = {"counts", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_COUNTS_X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_COUNTS_GRADIENT] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_COUNTS_R] = {"randoms and scatter", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

/* SinoSolverRun.own; members are owned. */
typedef struct Own {
    SinoSensitivity *sensitivity;
    SinoPenalty *penalty; /* of BSREM; else NULL */
} Own;

static SinoStatus prepare(SinoSolverRun *run)
{
    Own *own = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "the solver", &own));
    run->own = own;
    return sino_sensitivity_new(run, run->counts->multiplicative, run->counts->sensitivity, &own->sensitivity);
}

static SinoStatus prepare_bsrem(SinoSolverRun *run)
{
    SINO_TRY(prepare(run));
    Own *own = run->own;
    return sino_penalty_new(run, own->sensitivity, &own->penalty);
}

static void release(SinoSolverRun *run)
{
    Own *own = run->own;
    if (!own) return;
    sino_penalty_free(own->penalty);
    sino_sensitivity_free(run, own->sensitivity);
    free(own);
    run->own = NULL;
}

/* The sweep of the k-th subset in turn. Its sums are added to those of earlier turns; `first_sum` starts the sums.
 * updates: the sweep updates x by the weight of the subset before. */
static SinoStatus insert_sweep(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k,
                               bool first_sum, bool updates)
{
    const SinoSensitivity *own = ((const Own *)run->own)->sensitivity;
    const int64_t subset = own->order[k % own->subset_count], before = updates ? own->order[k - 1] : 0;
    SinoData *const *n = run->counts->multiplicative;
    const SinoSweep sweep = {
        .counts = minibatch->vector[SINO_COUNTS_G][subset],
        .multiplicative = n ? n[subset] : NULL,
        .additive = minibatch->vectors->count > SINO_COUNTS_R ? minibatch->vector[SINO_COUNTS_R][subset] : NULL,
        .add = !first_sum,
        .weight = updates ? own->weight[before][0] : NULL,
        .weight_subset = before,
        .state = minibatch->state,
        .everywhere = run->counts->sensitivity};
    return sino_insert_sweep(minibatch, iteration, subset, &sweep, SINO_COUNTS_X, SINO_COUNTS_GRADIENT);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SinoData *sums;
    SINO_TRY(sino_solver_begin(run, minibatch, SINO_UPDATE_TOTAL_MLEM, &sums));
    if (!run->counts->started)
        SINO_TRY(sino_sensitivity_start(run, ((const Own *)run->own)->sensitivity, minibatch, sums, SINO_COUNTS_X));
    return insert_sweep(run, minibatch, 0, 0, true, false);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoSensitivity *own = ((const Own *)run->own)->sensitivity;
    const SinoOperatorKind *kind = run->op->kind;
    const bool apart = !(kind->updates && kind->updates(run->op));
    for (int64_t k = 0; k < own->subset_count; k++) {
        if (apart)
            SINO_TRY(sino_sensitivity_update(run, own, minibatch, iteration, own->order[k], SINO_COUNTS_GRADIENT,
                                             SINO_COUNTS_X));
        SINO_TRY(insert_sweep(run, minibatch, iteration, k + 1, k == 0, !apart));
    }
    return sino_solver_record(run, minibatch, iteration);
}

static SinoStatus iterate_bsrem(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const Own *own = run->own;
    const SinoSensitivity *sensitivity = own->sensitivity;
    SINO_TRY(sino_penalty_typical(run, minibatch, iteration, SINO_COUNTS_X));
    for (int64_t k = 0; k < sensitivity->subset_count; k++) {
        SINO_TRY(sino_penalty_update(run, own->penalty, sensitivity, minibatch, iteration, sensitivity->order[k],
                                     SINO_COUNTS_GRADIENT, SINO_COUNTS_X));
        SINO_TRY(insert_sweep(run, minibatch, iteration, k + 1, k == 0, false));
    }
    return sino_solver_record(run, minibatch, iteration);
}

SinoStatus sino_solver_counts_strengths(const SinoSolverRun *run, const SinoMinibatch *minibatch, double *strength)
{
    const Own *own = run->own;
    return own->penalty ? sino_penalty_strengths(own->penalty, minibatch, strength) : NULL;
}

#define SOLVER(algorithm, subsets, vector_count)                                                                       \
    {                                                                                                                  \
        .choice = (algorithm), .iterative = true, .has_subsets = (subsets), .has_likelihood = true,                    \
        .vectors = {.count = (vector_count), .buffer = vectors, .tomogram = SINO_COUNTS_X},                            \
        .weights = &sino_sensitivity_vectors, .prepare = prepare, .release = release, .start = start,                  \
        .iterate = iterate                                                                                             \
    }

#define SOLVER_BSREM(vector_count)                                                                                     \
    {                                                                                                                  \
        .choice = SINO_ALGORITHM_BSREM, .iterative = true, .has_subsets = true, .has_likelihood = true,                \
        .vectors = {.count = (vector_count), .buffer = vectors, .tomogram = SINO_COUNTS_X},                            \
        .weights = &sino_penalty_vectors, .prepare = prepare_bsrem, .release = release, .start = start,                \
        .iterate = iterate_bsrem                                                                                       \
    }

static const SinoSolver solvers[] = {SOLVER(SINO_ALGORITHM_MLEM, false, SINO_COUNTS_R),
                                     SOLVER(SINO_ALGORITHM_MLEM, false, SINO_COUNTS_R + 1),
                                     SOLVER(SINO_ALGORITHM_OSEM, true, SINO_COUNTS_R),
                                     SOLVER(SINO_ALGORITHM_OSEM, true, SINO_COUNTS_R + 1),
                                     SOLVER_BSREM(SINO_COUNTS_R),
                                     SOLVER_BSREM(SINO_COUNTS_R + 1)};

const SinoSolver *sino_solver_counts(SinoAlgorithmChoice choice, bool additive)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i].choice == choice && (solvers[i].vectors.count > SINO_COUNTS_R) == additive) return &solvers[i];
    return NULL;
}
