/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA of a volume that is one slice of the operator, divided into bands of rows (codelets/solvers/band.h). The steps
 * are those of solver_fista.c, with one step length and one momentum for all voxels; the prior is in 3-D, of fans above
 * each other, or of a single slice, in 2-D. x starts from 0, or from a volume of the caller's.
 *
 *     back → prior → voxels → residual        one chain per band; the prior reads a row of the bands beside */
#include "solver_fista.h"
#include "solvers_tasks.h"

/* R: as of a prior in 3-D. */
enum { VECTORS = SINO_FISTA_R + 1 };
static const SinoBuffer vectors[VECTORS] = {
    SINO_FISTA_BUFFERS, [SINO_FISTA_R] = {"dual along", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

static bool is_volume(const SinoSolverRun *run)
{
    const SinoCone *cone = run->op->problem.cone;
    return !cone->fans && cone->z_count > 1;
}

/* The data of a band, and what lies beside it in the vectors of these numbers. */
static SinoBandTask task_of(const SinoSolverRun *run, const SinoMinibatch *minibatch, int64_t band, int u, int above)
{
    const int64_t count = sino_solver_partitions(run);
    SinoBandTask task = {.band = run->op->kind->band(run->op, band),
                         .p = minibatch->vector[SINO_FISTA_P][band],
                         .q = minibatch->vector[SINO_FISTA_D][band],
                         .r = minibatch->vector[SINO_FISTA_R][band],
                         .u = minibatch->vector[u][band],
                         .state = minibatch->state,
                         .above = band > 0 ? minibatch->vector[above][band - 1] : NULL,
                         .below = band + 1 < count ? minibatch->vector[u][band + 1] : NULL};
    task.band.volume = is_volume(run);
    task.band.rising = run->regularization.rising;
    task.band.least = run->bounds.least;
    task.band.most = run->bounds.most;
    return task;
}

static SinoStatus insert_smooth_prior(const SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoSmoothPrior prior = sino_fista_smooth_prior(run, minibatch);
    for (int64_t b = 0; b < sino_solver_partitions(run); b++) {
        const SinoBandTask task = task_of(run, minibatch, b, SINO_FISTA_Y, SINO_FISTA_Y);
        SINO_TRY(sino_insert_band_prior(run->runtime, sino_minibatch_at(minibatch, iteration, b), &task, &prior,
                                        minibatch->vector[SINO_FISTA_G][b]));
    }
    return NULL;
}

static SinoStatus insert_variation(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    for (int half = 0; half <= 2 * sino_fista_dual_steps(own->subset_count); half++) {
        const bool primal = half % 2 == 0;
        for (int64_t b = 0; b < sino_solver_partitions(run); b++) {
            const SinoBandTask task = task_of(run, minibatch, b, SINO_FISTA_U, SINO_FISTA_D);
            const SinoPosition position = sino_minibatch_at(minibatch, iteration, b);
            SINO_TRY(primal ? sino_insert_band_primal(run->runtime, position, &task, minibatch->vector[SINO_FISTA_G][b])
                            : sino_insert_band_dual(run->runtime, position, &task));
        }
        if (primal) SINO_TRY(sino_fista_insert_support(run, minibatch, iteration, SINO_FISTA_U));
    }
    return NULL;
}

static SinoStatus lower(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoFista *own = run->own;
    if (own->prior && !own->smooth) return insert_variation(run, minibatch, iteration);
    if (own->smooth) SINO_TRY(insert_smooth_prior(run, minibatch, iteration));
    return sino_fista_insert_support(run, minibatch, iteration, SINO_FISTA_G);
}

static SinoStatus prepare(SinoSolverRun *run)
{
    SINO_TRY(sino_fista_prepare(run));
    SinoFista *own = run->own;
    own->lower = lower;
    if (is_volume(run)) own->bend = SINO_PRIOR_CURVATURE_VOLUME;
    return NULL;
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SINO_TRY(sino_fista_start(run, minibatch));
    return sino_fista_insert_zeros(run, minibatch, SINO_FISTA_R);
}

const SinoSolver sino_solver_fista_band = {.choice = SINO_ALGORITHM_FISTA,
                                           .iterative = true,
                                           .has_subsets = true,
                                           .turns = sino_fista_turns,
                                           .bands = true,
                                           .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = SINO_FISTA_X},
                                           .weights = &sino_fista_weight_vectors,
                                           .projection = SINO_FISTA_Q,
                                           .prepare = prepare,
                                           .release = sino_fista_release,
                                           .start = start,
                                           .iterate = sino_fista_iterate};
