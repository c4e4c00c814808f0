/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK of projections that have vectors: x = Aᵀ F b, where F are FDK's weights and filter (view_filter.h), and A the
 * operator of the iterative solvers. Each projection is filtered along its own rows and backprojected by its own
 * vectors. That is right where sources are near a circle about z, or parallel rays nearly at right angles to z, and
 * rows of pixels too: jitter, shifts, small turns. Others are refused. */
#include "solver_fdk.h"

#include "arithmetic.h"
#include "filter_views_task.h"
#include "memory.h"
#include "rays_gate_task.h"
#include "solver_fbp.h"

#include <inttypes.h>
#include <stdlib.h>

enum { B, X, VECTORS };
static const SinoBuffer vectors[VECTORS] = {[B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
                                            [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

enum { TASKS = 64 };

/* How far sources may lie beside the mean circle, as a share of its radius; sines of tilts; the middle of the detector,
 * as a share of its columns; and the longest gap between angles, in radians, or as a multiple of the mean. */
static const double most_beside = 0.05, most_tilt = 0.1, most_middle = 0.1, most_gap_rad = 0.175, most_gaps = 4;

static const char other_algorithms[] = "an iterative algorithm, or vectors nearer to a circle about z";

/* Of this rank's projections. All members are owned. */
typedef struct Own {
    SinoFilter *filter;
    SinoView *view;
    double *weight;
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
    free(own);
    run->own = NULL;
}

static SinoStatus check_tilt(const SinoView *view, int64_t k)
{
    const double row = fabs(view->column[2]) / sqrt(sino_view_dot(view->column, view->column));
    SINO_CHECK(row <= most_tilt, SINO_BAD_INPUT,
               "algorithm is fdk, and the rows of projection %" PRId64
               " lean by %.3g degrees to the plane z = 0; allowed: up to %.3g degrees, or an iterative algorithm",
               k, asin(row) * 180 / SINO_PI, asin(most_tilt) * 180 / SINO_PI);
    const double ray = fabs(view->source[2]) / sqrt(sino_view_dot(view->source, view->source));
    SINO_CHECK(!view->parallel || ray <= most_tilt, SINO_BAD_INPUT,
               "algorithm is fdk, and the rays of projection %" PRId64
               " lean by %.3g degrees to the plane z = 0; allowed: up to %.3g degrees, or an iterative algorithm",
               k, asin(ray) * 180 / SINO_PI, asin(most_tilt) * 180 / SINO_PI);
    return NULL;
}

/* A detector that sees one side alone has rays once and others twice, which FDK would weigh. */
static SinoStatus check_middle(const SinoCone *cone)
{
    const double origin[3] = {0, 0, 0}, columns = (double)cone->column_count;
    double column = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoViewPlanes planes = sino_view_planes(&cone->view[k]);
        column += sino_view_value(&planes, 1, origin) / sino_view_value(&planes, 0, origin) / (double)cone->angle_count;
    }
    const double beside = fabs(column - (columns - 1) / 2) / columns;
    SINO_CHECK(beside <= most_middle, SINO_BAD_INPUT,
               "algorithm is fdk, and the detector's middle lies %.3g of its columns beside the middle of the volume; "
               "allowed: up to %g, or an iterative algorithm",
               beside, most_middle);
    return NULL;
}

/* Sources lie on a circle about z: of one radius and one height. */
static SinoStatus check_circle(const SinoCone *cone)
{
    const int64_t count = cone->angle_count;
    const SinoView *view = cone->view;
    double radius = 0, height = 0;
    SINO_TRY(check_middle(cone));
    for (int64_t k = 0; k < count; k++) {
        SINO_TRY(check_tilt(&view[k], k));
        radius += hypot(view[k].source[0], view[k].source[1]) / (double)count;
        height += view[k].source[2] / (double)count;
    }
    for (int64_t k = 0; k < count && !view[k].parallel; k++) {
        const double *source = view[k].source;
        const double beside = hypot(hypot(source[0], source[1]) - radius, source[2] - height) / radius;
        SINO_CHECK(beside <= most_beside, SINO_BAD_INPUT,
                   "algorithm is fdk, and the source of projection %" PRId64
                   " lies %.3g of the radius beside the sources' mean circle, as on a helix; allowed: up to %g, by %s",
                   k, beside, most_beside, other_algorithms);
    }
    return NULL;
}

/* share[k]: the radians of π that the projection stands for. Parallel rays see all in half a turn. */
static SinoStatus share_angles(const SinoCone *cone, double *share)
{
    const int64_t count = cone->angle_count;
    const double turn = cone->view->parallel ? SINO_PI : 2 * SINO_PI;
    double *angle, most = 0;
    SINO_TRY(sino_allocate(count, sizeof *angle, "angles", &angle));
    for (int64_t k = 0; k < count; k++) angle[k] = atan2(cone->view[k].source[1], cone->view[k].source[0]);
    SinoStatus status = sino_filter_angle_shares(count, angle, cone->dropped, turn, share);
    free(angle);
    if (status) return status;
    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, share[k]);
        share[k] *= SINO_PI / turn;
    }
    SINO_CHECK(2 * most <= fmax(most_gap_rad, most_gaps * turn / (double)count), SINO_BAD_INPUT,
               "algorithm is fdk, and the vectors leave a gap of about %.3g degrees; allowed: %s", most * 360 / SINO_PI,
               turn > SINO_PI ? "a whole turn, or an iterative algorithm" : "half a turn, or an iterative algorithm");
    return NULL;
}

/* The height of a pixel, seen at the middle of the volume, in voxels: Aᵀ has as many rays less in a voxel, of which the
 * filter's attenuation per pixel takes the width. */
static double pixel_height(const SinoCone *cone, const SinoView *view)
{
    const double origin[3] = {0, 0, 0};
    const SinoViewPlanes planes = sino_view_planes(view);
    return fabs(sino_view_value(&planes, 0, origin)) * sqrt(sino_view_dot(view->row, view->row)) / cone->voxel_size;
}

SinoStatus sino_fdk_check(const SinoCone *cone)
{
    double *share;
    SINO_TRY(check_circle(cone));
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *share, "angles", &share));
    SinoStatus status = share_angles(cone, share);
    free(share);
    return status;
}

static int64_t scratch_bytes(const SinoProblem *problem)
{
    return sino_view_filter_scratch_bytes(problem->cone->column_count, problem->cone->row_count);
}

static SinoStatus prepare(SinoSolverRun *run)
{
    const SinoOperator *op = run->op;
    const SinoCone *cone = op->problem.cone;
    Own *own = NULL;
    double *share = NULL;
    SINO_TRY(sino_allocate(1, sizeof *own, "the filter", &own));
    run->own = own;
    own->count = sino_solver_rays(run) / sino_times(cone->column_count, cone->row_count);
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->view, "vectors", &own->view));
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->weight, "angles", &own->weight));
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *share, "angles", &share));
    SinoStatus status = share_angles(cone, share);
    for (int64_t k = 0; k < cone->angle_count && !status; k++) {
        if (op->place[k] < 0) continue;
        own->view[op->place[k]] = cone->view[k];
        own->weight[op->place[k]] = share[k] * pixel_height(cone, &cone->view[k]);
    }
    free(share);
    if (status) return status;
    SINO_TRY(sino_filter_new(cone->column_count, sino_solver_window(run->settings->solver.fbp_filter), SINO_SINGLE,
                             &own->filter));
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
                                        .view = own->view,
                                        .weight = own->weight,
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
