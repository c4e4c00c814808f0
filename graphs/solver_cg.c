/* SPDX-License-Identifier: BSD-3-Clause */
/* CG: min ‖Ax − b‖² by conjugate gradients on the normal equations, CGLS (M. Hestenes and E. Stiefel, J. Res. NBS 49,
 * 409 (1952)), every slice with its own step lengths:
 *
 *     q = A d;  step = (r·q)/(q·q);  x += step·d;  r −= step·q;  g = Aᵀ r;  beta = ‖g‖²/‖g before‖²;  d = g + beta·d
 *
 * g is kept orthogonal to the first of its kind, g0 = Aᵀ b, as it would be without rounding (update.h): one more vector
 * and less than 1 % of the time, and after ten iterations single precision agrees with double to about 1e-5 where ‖r‖²
 * was 60 % too large (docs/ACCURACY.md). */
#include "solver.h"

enum { R = 0, Q = 1 };                /* rays: r begins as the sinogram */
enum { X = 0, G = 1, D = 2, G0 = 3 }; /* voxels; g0: the first g */

/* g = Aᵀ r and its norm; then x and the next direction. */
static SinoStatus turn(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoOperator *op = run->op;
    const int64_t count = op->partition_count;
    SinoData *sums;
    SINO_TRY(sino_insert_backproject(run->runtime, op, minibatch, iteration, R, G));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_update_sums(run->runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                         op->partition[p].voxel_count, minibatch->voxels[G][p],
                                         iteration == 0 ? NULL : minibatch->voxels[G0][p], p == 0, minibatch->sums));
    SINO_TRY(sino_insert_collect(run->runtime, minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_direction(run->runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices,
                                          sums, iteration == 0, minibatch->state));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_update_voxels_cg(run->runtime, sino_minibatch_at(minibatch, iteration, p),
                                              minibatch->slices, op->partition[p].voxel_count, iteration == 0,
                                              minibatch->voxels[G][p], minibatch->state, minibatch->voxels[G0][p],
                                              minibatch->voxels[D][p], minibatch->voxels[X][p]));
    return NULL;
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SINO_TRY(sino_solver_start(run, minibatch));
    return turn(run, minibatch, 0);
}

static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoPosition position = sino_minibatch_at(minibatch, iteration, -1);
    SinoData *sums;
    SINO_TRY(sino_insert_project(run->runtime, run->op, minibatch, iteration, D, Q));
    SINO_TRY(sino_insert_update_sums(run->runtime, position, minibatch->slices, sino_exchange_ray_count(run->exchange),
                                     minibatch->rays[Q], minibatch->rays[R], true, minibatch->sums));
    SINO_TRY(sino_insert_collect(run->runtime, minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_step(run->runtime, position, minibatch->slices, sums, minibatch->state));
    SINO_TRY(sino_insert_update_residual_cg(run->runtime, position, minibatch->slices,
                                            sino_exchange_ray_count(run->exchange), minibatch->rays[Q],
                                            minibatch->state, minibatch->rays[R], minibatch->sums));
    SINO_TRY(sino_solver_record(run, minibatch, iteration));
    return turn(run, minibatch, iteration);
}

const SinoSolver sino_solver_cg = {.choice = SINO_ALGORITHM_CG,
                                   .iterative = true,
                                   .vectors = {.rays = 2, .voxels = 4},
                                   .start = start,
                                   .iterate = iterate};
