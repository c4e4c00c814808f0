/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA on the normal equations, for operators that compute AᵀA at once: the x of solver_fista.c with one subset, by
 *
 *     g = Aᵀb − AᵀA y;  z = y + g/L;  …
 *
 * A product costs so much less than those with A that many iterations are cheaper than few with subsets. L is a bound
 * of the largest eigenvalue of AᵀA that the operator knows. ‖A y − b‖² is ‖b‖² − y·(Aᵀb + g), which states of slices
 * keep. Every ray has a value: undefined ones are interpolated before, because with weights AᵀWA would be no
 * convolution. */
#include "solver_fista.h"

/* Vectors of rays in solver_fista.c are vectors of voxels here: Aᵀb, and AᵀA y. There are no weights. */
enum { BACK = SINO_FISTA_PART, NORMAL = SINO_FISTA_Q };

static const SinoBuffer vectors[SINO_FISTA_PLANE_VECTORS] = {
    [SINO_FISTA_B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [BACK] = {"backprojected sinogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_FISTA_W] = {"no weights", SINO_ROWS_COMPLETED, SINO_ELEMENT_REAL, SINO_LANES_SLICES}, /* 0 rows */
    [NORMAL] = {"normal product", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    SINO_FISTA_VOXEL_BUFFERS};

static SinoStatus prepare(SinoSolverRun *run)
{
    SINO_TRY(sino_fista_open(run));
    SinoFista *own = run->own;
    own->curvature = run->op->kind->norm(run->op);
    return NULL;
}

/* Inserts z into G, and the residual of y into the state. */
static SinoStatus insert_descent(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoUpdate descend = {.formula = SINO_UPDATE_DESCEND_NORMAL};
    SINO_TRY(sino_insert_normal(minibatch, iteration, SINO_FISTA_Y, NORMAL));
    SINO_TRY(sino_fista_insert_sums(run, minibatch, iteration, &descend, 4,
                                    (const int[]){BACK, NORMAL, SINO_FISTA_Y, SINO_FISTA_G}));
    return sino_fista_insert_rule(run, minibatch, iteration, SINO_RULE_GAIN_FISTA, 0,
                                  minibatch->vector[SINO_FISTA_SUMS][0]);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(sino_insert_backproject(minibatch, 0, SINO_FISTA_B, BACK));
    SINO_TRY(sino_fista_insert_rule(run, minibatch, 0, SINO_RULE_STEP_GIVEN_FISTA, own->curvature,
                                    minibatch->vector[SINO_FISTA_SUMS][0]));
    SINO_TRY(sino_fista_insert_strength(run, minibatch));
    SINO_TRY(sino_fista_insert_start(run, minibatch, sino_solver_is_started(run))); /* filters the sinogram */
    return insert_descent(run, minibatch, 0);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    SINO_TRY(sino_fista_insert_change(run, minibatch, iteration));
    SINO_TRY(insert_descent(run, minibatch, iteration));
    SINO_TRY(sino_insert_update_residual(run->runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices,
                                         minibatch->state, minibatch->sums));
    return sino_solver_record(run, minibatch, iteration);
}

const SinoSolver sino_solver_fista_normal = {
    .choice = SINO_ALGORITHM_FISTA,
    .iterative = true,
    .normal = true,
    .whole_slices = "--projector toeplitz transforms whole slices",
    .vectors = {.count = SINO_FISTA_PLANE_VECTORS, .buffer = vectors, .tomogram = SINO_FISTA_X},
    .prepare = prepare,
    .release = sino_fista_release,
    .start = start,
    .iterate = iterate};
