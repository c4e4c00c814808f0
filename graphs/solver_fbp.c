/* SPDX-License-Identifier: BSD-3-Clause */
/* FBP: filtered backprojection (A. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, ch. 3): x = Aᵀ F
 * b, with the same A as the iterative solvers: a voxel takes from each angle what its rays' lengths weigh. */
#include "solver.h"

#include "memory.h"

#include <stdlib.h>

enum { B = 0 }; /* rays: the sinogram, filtered in place */
enum { X = 0 }; /* voxels */

typedef struct Filter {
    SinoFilter *filter;
    double *angle_weight;
    SinoFilterPlans *plans;
} Filter;

static void release(SinoSolverRun *run)
{
    Filter *filter = run->own;
    if (!filter) return;
    sino_filter_plans_free(filter->plans);
    free(filter->angle_weight);
    sino_filter_free(filter->filter);
    free(filter);
    run->own = NULL;
}

static SinoFilterWindow window_of(SinoFbpFilter filter)
{
    static const SinoFilterWindow window[] = {[SINO_FILTER_RAMP] = SINO_WINDOW_NONE,
                                              [SINO_FILTER_SHEPP] = SINO_WINDOW_SHEPP,
                                              [SINO_FILTER_COSINE] = SINO_WINDOW_COSINE,
                                              [SINO_FILTER_HANN] = SINO_WINDOW_HANN,
                                              [SINO_FILTER_HAMMING] = SINO_WINDOW_HAMMING,
                                              [SINO_FILTER_PARZEN] = SINO_WINDOW_PARZEN,
                                              [SINO_FILTER_BUTTERWORTH] = SINO_WINDOW_BUTTERWORTH};
    return window[filter];
}

static SinoStatus prepare(SinoSolverRun *run)
{
    const SinoGeometry *geometry = &run->op->layout.geometry;
    const int64_t first_angle = run->exchange->first_ray[run->exchange->shape.data_rank] / geometry->column_count;
    const int64_t angle_count = sino_exchange_ray_count(run->exchange) / geometry->column_count;
    Filter *filter = NULL;
    SINO_TRY(sino_allocate(1, sizeof *filter, "the filter", &filter));
    run->own = filter;
    SINO_TRY(sino_filter_new(geometry->column_count, window_of(run->settings->fbp_filter),
                             sino_precision_solver(run->op->layout.precision), &filter->filter));
    SINO_TRY(sino_allocate(geometry->angle_count, sizeof *filter->angle_weight, "angles", &filter->angle_weight));
    SINO_TRY(sino_filter_angle_weights(geometry->angle_count, geometry->angle_rad, filter->angle_weight));
    return sino_filter_plans_new(run->runtime, filter->filter, angle_count, run->stride,
                                 filter->angle_weight + first_angle, &filter->plans);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const Filter *filter = run->own;
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(
        sino_insert_filter(sino_minibatch_at(minibatch, -1, -1), filter->plans, minibatch->slices, minibatch->rays[B]));
    return sino_insert_backproject(run->runtime, run->op, minibatch, -1, B, X);
}

const SinoSolver sino_solver_fbp = {.choice = SINO_ALGORITHM_FBP,
                                    .iterative = false,
                                    .vectors = {.rays = 1, .voxels = 1},
                                    .prepare = prepare,
                                    .release = release,
                                    .start = start};
