/* SPDX-License-Identifier: BSD-3-Clause */
/* CG on the normal equations AᵀA x = Aᵀ b, for operators that compute AᵀA at once. In exact arithmetic these are the
 * iterates of solver_cg.c:
 *
 *     q = AᵀA d;  step = (d·g)/(d·q);  g −= step·q;  x += step·d;  beta = ‖g‖²/‖g before‖²;  d = g + beta·d
 *
 * A step lowers ‖Ax − b‖² by (d·g)²/(d·q), which the states of slices add up. As in solver_cg.c, g is kept orthogonal
 * to the first gradient. Every ray has a value: undefined ones are interpolated before, because with weights AᵀWA would
 * be no convolution. */
#include "solver.h"
#include "solvers_tasks.h"

enum { B, Q, X, G, D, G0, VECTORS };

static const SinoBuffer vectors[VECTORS] = {
    [B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [Q] = {"normal product", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [D] = {"direction", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [G0] = {"first gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

/* Applies a rule to the sums of the last formula. */
static SinoStatus insert_rule(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoUpdateRule rule)
{
    SinoData *sums;
    SINO_TRY(sino_insert_collect(minibatch, iteration, &sums));
    return sino_insert_update_slices(run->runtime, sino_minibatch_at(minibatch, iteration, -1), rule, minibatch->slices,
                                     iteration == 0, 0, sums, minibatch->state);
}

/* Updates x and the direction d. */
static SinoStatus insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoUpdate voxels = {.formula = SINO_UPDATE_VOXELS_CG, .first = iteration == 0};
    return sino_solver_update_voxels(run, minibatch, iteration, &voxels, 4, (const int[]){G, G0, D, X});
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoUpdate square = {.formula = SINO_UPDATE_SQUARE};
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(sino_insert_backproject(minibatch, 0, B, G));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, 0, &square, 1, (const int[]){G}));
    SINO_TRY(insert_rule(run, minibatch, 0, SINO_RULE_DIRECTION_CG));
    return insert_voxels(run, minibatch, 0);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoUpdate along = {.formula = SINO_UPDATE_ALONG_CG}, gradient = {.formula = SINO_UPDATE_GRADIENT_CG};
    SINO_TRY(sino_insert_normal(minibatch, iteration, D, Q));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, iteration, &along, 3, (const int[]){D, Q, G}));
    SINO_TRY(insert_rule(run, minibatch, iteration, SINO_RULE_STEP_NORMAL));
    SINO_TRY(sino_solver_update_voxels(run, minibatch, iteration, &gradient, 3, (const int[]){Q, G, G0}));
    SINO_TRY(insert_rule(run, minibatch, iteration, SINO_RULE_DIRECTION_CG));
    SINO_TRY(sino_insert_update_residual(run->runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices,
                                         minibatch->state, minibatch->sums));
    SINO_TRY(sino_solver_record(run, minibatch, iteration));
    return insert_voxels(run, minibatch, iteration);
}

const SinoSolver sino_solver_cg_normal = {.choice = SINO_ALGORITHM_CG,
                                          .iterative = true,
                                          .normal = true,
                                          .whole_slices = "--projector toeplitz transforms whole slices",
                                          .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                          .start = start,
                                          .iterate = iterate};
