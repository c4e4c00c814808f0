/* SPDX-License-Identifier: BSD-3-Clause */
/* View weights: what FDK multiplies projections that have vectors by, and the pixels of their lines. */
#include "view_weights.h"

#include "circle.h"
#include "cone_weigh.h"
#include "helix.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The middle of the detector may lie beside that of the volume, as a share of its pixels in a line that is filtered. */
static const double most_middle = 0.1;
/* Of a voxel that projections see, at right angles to the lines: what they do not see lowers its value. */
static const double least_seen = 0.9;

/* The pixel of a line in which the volume's middle is seen, and by how many one moves that does so by a mm on the way
 * of the turn: means of all projections. */
typedef struct Line {
    int64_t length;
    double middle, step;
} Line;

static Line line_of(const SinoCone *cone, const SinoRayCircle *circle)
{
    const double origin[3] = {0, 0, 0}, count = (double)cone->angle_count;
    Line line = {.length = circle->along_rows ? cone->column_count : cone->row_count};
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoViewPlanes planes = sino_view_planes(&cone->view[k]);
        const double depth = sino_view_value(&planes, 0, origin);
        line.middle += sino_view_value(&planes, circle->along_rows ? 1 : 2, origin) / depth / count;
        line.step += sino_ray_motion(circle, &cone->view[k]).step[circle->along_rows ? 0 : 1] / count;
    }
    return line;
}

/* Along lines of pixels at right angles to those that are filtered, the volume's middle stays where it is, or slices
 * would lack projections, as of a helix. */
static SinoStatus check_across(const SinoCone *cone, const SinoRayCircle *circle)
{
    const double origin[3] = {0, 0, 0};
    const int64_t pixels = circle->along_rows ? cone->row_count : cone->column_count;
    const double apart = 2 * fmax(1, most_middle * (double)pixels);
    double least = INFINITY, most = -INFINITY, seen_mm = INFINITY;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoViewPlanes planes = sino_view_planes(&cone->view[k]);
        const double *step = circle->along_rows ? cone->view[k].row : cone->view[k].column;
        const double depth = sino_view_value(&planes, 0, origin);
        const double at = sino_view_value(&planes, circle->along_rows ? 2 : 1, origin) / depth;
        const double pixel_mm = sqrt(sino_view_dot(step, step)) * (cone->view[k].parallel ? 1 : depth);
        seen_mm = fmin(seen_mm, (double)pixels * pixel_mm);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    SINO_CHECK(most - least <= apart, SINO_BAD_INPUT,
               "algorithm is fdk, and by --vectors projections see the volume's middle in %s %.4g to %.4g of %" PRId64
               "; allowed: up to %.4g of them apart, or " SINO_FDK_ELSE,
               circle->along_rows ? "rows" : "columns", least, most, pixels, apart);
    SINO_CHECK(seen_mm >= least_seen * cone->voxel_size, SINO_BAD_INPUT,
               "algorithm is fdk, and by --vectors %s see %.4g mm of the volume's middle, and voxels have %.4g mm; "
               "allowed: a --voxel-size of up to %.4g, or " SINO_FDK_ELSE,
               circle->along_rows ? "rows" : "columns", seen_mm, cone->voxel_size, seen_mm);
    return NULL;
}

/* A detector that sees one side alone has rays once and others twice, which FDK would weigh. */
static SinoStatus check_middle(const Line *line, bool along_rows)
{
    const double beside = fabs(line->middle - ((double)line->length - 1) / 2) / (double)line->length;
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
static SinoStatus share_angles(const SinoCone *cone, const SinoRayCircle *circle, const double *angle_rad,
                               double *share, double *gap_rad)
{
    const int64_t count = cone->angle_count;
    const bool mirrors = cone->view->parallel && sino_ray_circle_level(circle);
    SinoCircle order;
    double *of_step = NULL;
    SINO_TRY(sino_circle_new(count, angle_rad, cone->dropped, (mirrors ? 1 : 2) * SINO_PI, &order));
    SinoStatus status = sino_allocate(count, sizeof *of_step, "angles", &of_step);
    if (!status) status = share_steps(&order, mirrors, of_step, gap_rad);
    for (int64_t k = 0; k < count && !status; k++) share[k] = order.number[k] < 0 ? 0 : of_step[order.number[k]];
    sino_circle_free(&order);
    free(of_step);
    return status;
}

/* Takes sources with gaps as a short scan of the fan that their lines through the volume's middle are. */
static SinoStatus share_arc(const SinoCone *cone, const Line *line, const double *angle_rad, SinoViewWeights *weights)
{
    const int64_t count = cone->angle_count;
    const double pixels_of_radius = weights->circle.radius * fabs(line->step);
    const SinoCone fan = {.angle_count = count,
                          .column_count = line->length,
                          .angle_rad = angle_rad,
                          .dropped = cone->dropped,
                          .source_detector = pixels_of_radius,
                          .pixel_width = 1,
                          .center = line->middle};
    SinoConeArc arc;
    SINO_TRY(sino_cone_arc_new(&fan, &arc));
    if (arc.kind != SINO_CONE_SHORT) return NULL;
    SINO_TRY(
        sino_allocate(sino_times(count, line->length), sizeof *weights->share, "weights of pixels", &weights->share));
    weights->short_rad = arc.length_rad;
    for (int64_t k = 0; k < count; k++) weights->weight[k] = 1;
    return sino_cone_ray_weights(&fan, weights->share);
}

/* Angles grow as the pixels of a line do. */
static SinoStatus share_views(const SinoCone *cone, const Line *line, SinoViewWeights *weights)
{
    const SinoRayCircle *circle = &weights->circle;
    SinoStatus status = NULL, refused = NULL;
    double *angle_rad;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *angle_rad, "angles", &angle_rad));
    for (int64_t k = 0; k < cone->angle_count; k++)
        angle_rad[k] = copysign(1, line->step) * sino_ray_motion(circle, &cone->view[k]).angle_rad;
    if (!cone->view->parallel && sino_ray_circle_level(circle)) refused = share_arc(cone, line, angle_rad, weights);
    if (!weights->share) status = share_angles(cone, circle, angle_rad, weights->weight, &weights->gap_rad);
    if (status && refused) {
        sino_status_free(status);
        status = sino_error_prefix(refused, "algorithm is fdk");
        refused = NULL;
    }
    sino_status_free(refused);
    free(angle_rad);
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

/* The next projection that is not dropped, in steps of `step`; −1: there is none. */
static int64_t next_kept(const SinoCone *cone, int64_t from, int64_t step)
{
    for (int64_t k = from + step; k >= 0 && k < cone->angle_count; k += step)
        if (!cone->dropped || !cone->dropped[k]) return k;
    return -1;
}

/* The share of each projection of a helix: half of the mean step to its neighbours; π in a turn. */
static void share_helix(const SinoCone *cone, const double *turn_rad, double *share)
{
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const int64_t before = next_kept(cone, k, -1), after = next_kept(cone, k, 1);
        const int64_t first = before < 0 ? k : before, last = after < 0 ? k : after;
        const int steps = before < 0 || after < 0 ? 1 : 2;
        share[k] = cone->dropped && cone->dropped[k] ? 0 : fabs(turn_rad[last] - turn_rad[first]) / steps / 2;
    }
}

/* A helix, if the sources are on one; else window.pitch_mm is 0. */
static SinoStatus fill_helix(const SinoCone *cone, SinoViewWeights *weights)
{
    double *turn_rad;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *turn_rad, "angles", &turn_rad));
    const SinoHelix helix = sino_helix_fit(cone, turn_rad);
    SinoRayCircle *circle = &weights->circle;
    SinoStatus status = NULL;
    if (helix.pitch_mm > 0) {
        *circle = (SinoRayCircle){.axis = {0, 0, 1}, .across = {{1, 0, 0}, {0, 1, 0}}, .radius = helix.radius};
        share_helix(cone, turn_rad, weights->weight);
        weights->end_slices = sino_helix_ends(cone, &helix);
        status = sino_ray_circle_pixels(cone, circle);
        if (!status) status = sino_helix_window(cone, &helix, circle->along_rows, &weights->window);
    }
    free(turn_rad);
    return status;
}

/* Fits a circle, or else a helix. */
static SinoStatus fit(const SinoCone *cone, SinoViewWeights *weights)
{
    SinoStatus status = sino_ray_circle_fit(cone, &weights->circle);
    if (!status) status = check_across(cone, &weights->circle);
    if (!status) return NULL;
    SinoStatus helix = fill_helix(cone, weights);
    if (!helix && weights->window.pitch_mm == 0) return status;
    sino_status_free(status);
    return helix;
}

static SinoStatus fill(const SinoCone *cone, SinoViewWeights *weights)
{
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *weights->weight, "angles", &weights->weight));
    SINO_TRY(fit(cone, weights));
    const Line line = line_of(cone, &weights->circle);
    SINO_TRY(check_middle(&line, weights->circle.along_rows));
    weights->length = line.length;
    if (weights->window.pitch_mm == 0) SINO_TRY(share_views(cone, &line, weights));
    for (int64_t k = 0; k < cone->angle_count; k++)
        weights->weight[k] *= weigh_view(cone, &weights->circle, &cone->view[k]);
    return NULL;
}

SinoStatus sino_view_weights_new(const SinoCone *cone, SinoViewWeights *result)
{
    SinoViewWeights weights = {0};
    SinoStatus status = fill(cone, &weights);
    if (status)
        sino_view_weights_free(&weights);
    else
        *result = weights;
    return status;
}

void sino_view_weights_free(SinoViewWeights *weights)
{
    free(weights->weight);
    free(weights->share);
}
