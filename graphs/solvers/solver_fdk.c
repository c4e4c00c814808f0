/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK of projections that have vectors, and weighted backprojection (WBP) of parallel rays: x = Aᵀ F b, where F are
 * weights and a ramp filter (view_filter.h), and A the operator of the iterative solvers. Each projection is filtered
 * along the rows or columns of its pixels, whichever way the turn about the axis moves them, and backprojected by its
 * own vectors.
 *
 * Parallel rays of directions d(φ) see the plane of frequencies k·d = 0. As d turns, this plane passes each frequency
 * with the density 1/|k·dd/dφ|, n times, so that F = dφ/n·|k·dd/dφ|: the ramp along the turn times the sine of the
 * angle between rays and axis; n is 1 for half a turn at right angles to the axis, as of a tilt series, and 2 for a
 * turn of laminography (M. Radermacher, in: Electron Tomography (1992); L. Helfen et al., Rev. Sci. Instrum. 82, 063702
 * (2011)). Frequencies that no projection sees remain 0. The same holds for a cone beam along its middle ray. */
#include "solver_fdk.h"

#include "device.h"
#include "fourier_tasks.h"
#include "memory.h"
#include "rays_tasks.h"
#include "solver_fbp.h"
#include "view_weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { B, X, VECTORS };
static const SinoBuffer vectors[VECTORS] = {[B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
                                            [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

enum { TASKS = 64 };

/* Of this rank's projections. All members are owned. */
typedef struct Own {
    bool along_rows;
    SinoFilter *filter;
    SinoView *view;
    double *weight;
    float *share; /* [projection][pixel of a line]; NULL: 1 */
    SinoData *scratch;
    int64_t count;
} Own;

static void release(SinoSolverRun *run)
{
    Own *own = run->own;
    if (!own) return;
    sino_data_free(own->scratch);
    sino_filter_free(own->filter);
    free(own->view);
    free(own->weight);
    free(own->share);
    free(own);
    run->own = NULL;
}

SinoStatus sino_fdk_check(const SinoCone *cone, SinoConeWindow *window)
{
    SinoViewWeights weights;
    SINO_TRY(sino_view_weights_new(cone, &weights));
    *window = weights.window;
    sino_view_weights_free(&weights);
    return NULL;
}

static int64_t scratch_bytes(const SinoProblem *problem)
{
    return sino_view_filter_scratch_bytes(problem->cone->column_count, problem->cone->row_count);
}

static void tell_arc(const SinoSolverRun *run, const SinoViewWeights *weights)
{
    SinoLog *log = sino_runtime_log(run->runtime);
    if (weights->short_rad > 0)
        sino_log_info(log, "short scan", "fdk: sources on an arc of %.4g degrees; rays that are seen twice share",
                      weights->short_rad * 180 / SINO_PI);
    if (weights->window.pitch_mm > 0)
        sino_log_info(log, "helix", "fdk: a helix of %.4g mm a turn; a slice has the projections of up to %.3g turns%s",
                      weights->window.pitch_mm, weights->window.turns,
                      sino_runtime_devices(run->runtime) & SINO_DEVICE_CUDA ? "; by cores, as GPUs know no helix" : "");
    if (weights->end_slices > 0)
        sino_log_warning(log, "helix",
                         "fdk: %" PRId64 " slices at the ends of the volume are not seen from a whole turn; an "
                         "iterative algorithm shows them better",
                         weights->end_slices);
    if (weights->gap_rad > 0)
        sino_log_warning(log, "wedge",
                         "fdk: the projections lack %.4g degrees of half a turn; edges along their rays are blurred, "
                         "and an iterative algorithm with a prior shows them better",
                         weights->gap_rad * 180 / SINO_PI);
}

/* What this rank's projections need. */
static SinoStatus take(const SinoOperator *op, const SinoViewWeights *weights, Own *own)
{
    const SinoCone *cone = op->problem.cone;
    const int64_t length = weights->length;
    own->along_rows = weights->circle.along_rows;
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->view, "vectors", &own->view));
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->weight, "angles", &own->weight));
    if (weights->share)
        SINO_TRY(sino_allocate(sino_times(sino_larger(own->count, 1), length), sizeof *own->share, "weights of pixels",
                               &own->share));
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const int64_t at = op->place[k];
        if (at < 0) continue;
        own->view[at] = cone->view[k];
        own->weight[at] = weights->weight[k];
        for (int64_t i = 0; weights->share && i < length; i++)
            own->share[at * length + i] = (float)weights->share[k * length + i];
    }
    return NULL;
}

static SinoStatus prepare(SinoSolverRun *run)
{
    const SinoOperator *op = run->op;
    const SinoCone *cone = op->problem.cone;
    Own *own = NULL;
    SinoViewWeights weights;
    SINO_TRY(sino_allocate(1, sizeof *own, "the filter", &own));
    run->own = own;
    own->count = sino_solver_rays(run) / sino_times(cone->column_count, cone->row_count);
    SINO_TRY(sino_view_weights_new(cone, &weights));
    tell_arc(run, &weights);
    SinoStatus status = take(op, &weights, own);
    sino_view_weights_free(&weights);
    if (status) return status;
    SINO_TRY(sino_filter_new(own->along_rows ? cone->column_count : cone->row_count,
                             sino_solver_window(run->settings->solver.fbp_filter), SINO_SINGLE, &own->filter));
    sino_filter_fill(own->filter, run->pad_edges, true);
    return sino_data_scratch(run->runtime, "filter scratch", scratch_bytes(&op->problem), &own->scratch);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const Own *own = run->own;
    const SinoCone *cone = run->op->problem.cone;
    const SinoPosition position = sino_minibatch_at(minibatch, -1, -1);
    const int64_t step = sino_larger(sino_ceil_divide(own->count, TASKS), 1);
    SinoData *rays = minibatch->vector[B][0];
    SINO_TRY(sino_solver_start(run, minibatch));
    SINO_TRY(sino_insert_rays_begin(run->runtime, position, true, rays));
    for (int64_t k = 0; k < own->count; k += step) {
        const SinoFilterViews wanted = {.filter = own->filter,
                                        .along_rows = own->along_rows,
                                        .view = own->view,
                                        .weight = own->weight,
                                        .share = own->share,
                                        .first = k,
                                        .count = sino_smaller(step, own->count - k),
                                        .column_count = cone->column_count,
                                        .row_count = cone->row_count};
        SINO_TRY(sino_insert_filter_views(run->runtime, position, &wanted, own->scratch, rays));
    }
    SINO_TRY(sino_insert_rays_end(run->runtime, position, rays));
    return sino_insert_backproject(minibatch, -1, B, X);
}

const SinoSolver sino_solver_fdk = {.choice = SINO_ALGORITHM_FDK,
                                    .iterative = false,
                                    .vectors = {.count = VECTORS, .buffer = vectors, .tomogram = X},
                                    .scratch_bytes = scratch_bytes,
                                    .prepare = prepare,
                                    .release = release,
                                    .start = start};
