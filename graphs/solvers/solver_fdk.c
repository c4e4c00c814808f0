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

#include "circle.h"
#include "fourier_tasks.h"
#include "memory.h"
#include "rays_tasks.h"
#include "solver_fbp.h"

#include <math.h>
#include <stdlib.h>

enum { B, X, VECTORS };
static const SinoBuffer vectors[VECTORS] = {[B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
                                            [X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

enum { TASKS = 64 };

/* The middle of the detector may lie beside that of the volume, as a share of its pixels in a line that is filtered. */
static const double most_middle = 0.1;

/* Of this rank's projections. All members are owned. */
typedef struct Own {
    SinoRayCircle circle;
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

/* A detector that sees one side alone has rays once and others twice, which FDK would weigh. */
static SinoStatus check_middle(const SinoCone *cone, bool along_rows)
{
    const double origin[3] = {0, 0, 0}, pixels = (double)(along_rows ? cone->column_count : cone->row_count);
    double middle = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoViewPlanes planes = sino_view_planes(&cone->view[k]);
        const double depth = sino_view_value(&planes, 0, origin);
        middle += sino_view_value(&planes, along_rows ? 1 : 2, origin) / depth / (double)cone->angle_count;
    }
    const double beside = fabs(middle - (pixels - 1) / 2) / pixels;
    SINO_CHECK(beside <= most_middle, SINO_BAD_INPUT,
               "algorithm is fdk, and the detector's middle lies %.3g of its %s beside the middle of the volume; "
               "allowed: up to %g, or " SINO_FDK_ELSE,
               beside, along_rows ? "columns" : "rows", most_middle);
    return NULL;
}

/* share[i]: the radians of π that angle i stands for. Half a turn of parallel rays sees all, and may have one gap.
 * *gap_rad: what it lacks. */
static SinoStatus share_steps(const SinoCircle *order, bool mirrors, double *share, double *gap_rad)
{
    SinoCircleGaps gaps;
    SINO_CHECK(order->count > 1, SINO_BAD_INPUT, "algorithm is fdk, and there is one direction; allowed: two or more");
    sino_circle_shares(order, share, &gaps);
    SINO_CHECK(gaps.count <= (mirrors ? 1 : 0), SINO_BAD_INPUT,
               "algorithm is fdk, and --vectors leave a gap of %.3g degrees%s; allowed: %s, or " SINO_FDK_ELSE,
               gaps.longest_rad * 180 / SINO_PI, gaps.count > 1 ? ", and others" : "",
               mirrors ? "one gap in half a turn" : "a whole turn");
    *gap_rad = gaps.lacking_rad;
    for (int64_t i = 0; i < order->count; i++) share[i] *= SINO_PI / order->turn_rad / (double)order->members[i];
    return NULL;
}

/* The same of every projection of the cone. */
static SinoStatus share_angles(const SinoCone *cone, const SinoRayCircle *circle, double *share, double *gap_rad)
{
    const int64_t count = cone->angle_count;
    const bool mirrors = sino_ray_circle_mirrors(cone, circle);
    SinoCircle order = {0};
    double *angle, *of_step = NULL;
    SINO_TRY(sino_allocate(count, sizeof *angle, "angles", &angle));
    for (int64_t k = 0; k < count; k++) angle[k] = sino_ray_motion(circle, &cone->view[k]).angle_rad;
    SinoStatus status = sino_circle_new(count, angle, cone->dropped, (mirrors ? 1 : 2) * SINO_PI, &order);
    if (!status) status = sino_allocate(count, sizeof *of_step, "angles", &of_step);
    if (!status) status = share_steps(&order, mirrors, of_step, gap_rad);
    for (int64_t k = 0; k < count && !status; k++) share[k] = order.number[k] < 0 ? 0 : of_step[order.number[k]];
    sino_circle_free(&order);
    free(of_step);
    free(angle);
    return status;
}

/* What a projection is multiplied by, besides its share of the angles. Aᵀ has as many rays in a voxel as it is larger
 * than a pixel, seen at the middle of the volume, and the filter's attenuation is per pixel, not per voxel. */
static double weigh_view(const SinoCone *cone, const SinoRayCircle *circle, const SinoView *view)
{
    const double origin[3] = {0, 0, 0}, side = cone->voxel_size;
    const SinoViewPlanes planes = sino_view_planes(view);
    const double sine = sqrt(1 - sino_ray_circle_lean(circle) * sino_ray_circle_lean(circle));
    const double *across = circle->along_rows ? view->row : view->column;
    if (!view->parallel)
        return sine * fabs(sino_view_value(&planes, 0, origin)) * sqrt(sino_view_dot(across, across)) / side;
    double area[3];
    sino_view_cross(view->column, view->row, area);
    return sine * fabs(sino_view_dot(area, view->source)) / sqrt(sino_view_dot(view->source, view->source)) / side *
           fabs(sino_ray_motion(circle, view).step[circle->along_rows ? 0 : 1]);
}

/* weight[k]: of projection k. *gap_rad as above. */
static SinoStatus fit(const SinoCone *cone, SinoRayCircle *circle, double *weight, double *gap_rad)
{
    SINO_TRY(sino_ray_circle_fit(cone, circle));
    SINO_TRY(check_middle(cone, circle->along_rows));
    SINO_TRY(share_angles(cone, circle, weight, gap_rad));
    for (int64_t k = 0; k < cone->angle_count; k++) weight[k] *= weigh_view(cone, circle, &cone->view[k]);
    return NULL;
}

SinoStatus sino_fdk_check(const SinoCone *cone)
{
    SinoRayCircle circle;
    double *weight, gap_rad;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *weight, "angles", &weight));
    SinoStatus status = fit(cone, &circle, weight, &gap_rad);
    free(weight);
    return status;
}

static int64_t scratch_bytes(const SinoProblem *problem)
{
    return sino_view_filter_scratch_bytes(problem->cone->column_count, problem->cone->row_count);
}

static void tell_gap(const SinoSolverRun *run, double gap_rad)
{
    if (gap_rad > 0)
        sino_log_warning(sino_runtime_log(run->runtime), "wedge",
                         "fdk: the projections lack %.4g degrees of half a turn; edges along their rays are blurred, "
                         "and an iterative algorithm with a prior shows them better",
                         gap_rad * 180 / SINO_PI);
}

static SinoStatus prepare(SinoSolverRun *run)
{
    const SinoOperator *op = run->op;
    const SinoCone *cone = op->problem.cone;
    Own *own = NULL;
    double *weight = NULL, gap_rad = 0;
    SINO_TRY(sino_allocate(1, sizeof *own, "the filter", &own));
    run->own = own;
    own->count = sino_solver_rays(run) / sino_times(cone->column_count, cone->row_count);
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->view, "vectors", &own->view));
    SINO_TRY(sino_allocate(sino_larger(own->count, 1), sizeof *own->weight, "angles", &own->weight));
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *weight, "angles", &weight));
    SinoStatus status = fit(cone, &own->circle, weight, &gap_rad);
    for (int64_t k = 0; k < cone->angle_count && !status; k++) {
        if (op->place[k] < 0) continue;
        own->view[op->place[k]] = cone->view[k];
        own->weight[op->place[k]] = weight[k];
    }
    free(weight);
    if (status) return status;
    tell_gap(run, gap_rad);
    SINO_TRY(sino_filter_new(own->circle.along_rows ? cone->column_count : cone->row_count,
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
                                        .along_rows = own->circle.along_rows,
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
