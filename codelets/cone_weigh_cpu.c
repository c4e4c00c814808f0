/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: arcs, and weights of cone-beam rays before the ramp filter.
 *
 * The ray of angle θ through a column has the fan angle γ, tan γ = (column − center)·width/S, and is the ray of a
 * parallel beam at the angle θ − γ. The same line is seen from the other side at θ + π − 2γ, at the fan angle −γ. */
#include "cone_weigh.h"

#include "arithmetic.h"
#include "filter.h"
#include "memory.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>

static const double degrees = 180 / SINO_PI;

static double fan_angle(const SinoCone *cone, double column)
{
    return atan((column - cone->center) * cone->pixel_width / cone->source_detector);
}

/* Half angles on both sides of the axis; a side that the detector does not reach is negative. */
typedef struct Sides {
    double shorter, longer;
    bool longer_is_last; /* the longer side is that of the last column */
} Sides;

static Sides sides_of(const SinoCone *cone)
{
    const double first = -fan_angle(cone, 0), last = fan_angle(cone, (double)(cone->column_count - 1));
    return last > first ? (Sides){first, last, true} : (Sides){last, first, false};
}

/* As RTK: below, the whole detector counts as centered. */
static bool is_displaced(const Sides *sides)
{
    return tan(sides->longer) - tan(sides->shorter) > 0.1 * tan(sides->longer);
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The angles modulo 2π in rising order. An angle just below 2π counts as one at 0. */
static SinoStatus sort_angles(const SinoCone *cone, double **result)
{
    double *sorted = NULL;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *sorted, "sorted angles", &sorted));
    for (int64_t k = 0; k < cone->angle_count; k++) {
        double rad = fmod(cone->angle_rad[k], 2 * SINO_PI);
        if (rad < 0) rad += 2 * SINO_PI;
        sorted[k] = rad > 2 * SINO_PI - 1e-6 ? 0 : rad;
    }
    qsort(sorted, (size_t)cone->angle_count, sizeof *sorted, by_value);
    *result = sorted;
    return NULL;
}

/* The gap after angle i of the sorted ones, around the circle. */
static double gap_after(int64_t count, const double *sorted, int64_t i)
{
    return i + 1 < count ? sorted[i + 1] - sorted[i] : sorted[0] + 2 * SINO_PI - sorted[i];
}

/* *widest: number of the angle before the largest gap. *median: of the gaps of more than 10⁻⁶ rad. */
static SinoStatus find_gaps(int64_t count, const double *sorted, int64_t *widest, double *median)
{
    double *gap = NULL;
    int64_t gaps = 0;
    SINO_TRY(sino_allocate(count, sizeof *gap, "gaps", &gap));
    *widest = 0;
    for (int64_t i = 0; i < count; i++) {
        const double width = gap_after(count, sorted, i);
        if (width > 1e-6) gap[gaps++] = width;
        if (width > gap_after(count, sorted, *widest)) *widest = i;
    }
    qsort(gap, (size_t)gaps, sizeof *gap, by_value);
    *median = gap[gaps / 2];
    free(gap);
    return NULL;
}

static SinoStatus check_arc(const SinoCone *cone, const SinoConeArc *arc, const Sides *sides)
{
    const double least = SINO_PI + 2 * arc->fan_rad;
    if (arc->kind != SINO_CONE_SHORT) {
        SINO_CHECK(sides->shorter > 0, SINO_BAD_INPUT,
                   "rotation axis at column %g, and the detector has columns 0 to %lld; allowed: an axis on the "
                   "detector",
                   cone->center, (long long)cone->column_count - 1);
        return NULL;
    }
    SINO_CHECK(
        arc->length_rad >= least * (1 - 1e-3), SINO_BAD_INPUT,
        "the angles cover %.4g degrees, and the fan is %.4g degrees wide; allowed: 180 degrees and the fan, %.4g "
        "degrees, or more",
        arc->length_rad * degrees, 2 * arc->fan_rad * degrees, least * degrees);
    SINO_CHECK(!is_displaced(sides), SINO_BAD_INPUT,
               "rotation axis at column %g of %lld, far from the middle, and the angles cover %.4g degrees; allowed: a "
               "whole circle, or an axis near the middle",
               cone->center, (long long)cone->column_count, arc->length_rad * degrees);
    return NULL;
}

SinoStatus sino_cone_arc_new(const SinoCone *cone, SinoConeArc *result)
{
    const int64_t count = cone->angle_count;
    const Sides sides = sides_of(cone);
    double *sorted = NULL;
    int64_t widest;
    double median;
    SINO_CHECK(cone->column_count > 1, SINO_BAD_INPUT,
               "the detector has 1 column, whose rays have no width together; allowed with --algorithm fdk: 2 or more");
    SINO_TRY(sort_angles(cone, &sorted));
    SinoStatus status = find_gaps(count, sorted, &widest, &median);
    if (!status) {
        const double gap = gap_after(count, sorted, widest);
        const bool closed = count > 1 && gap < 3 * median && gap < SINO_PI / 2;
        const SinoConeArc arc = {.kind = !closed                ? SINO_CONE_SHORT
                                         : is_displaced(&sides) ? SINO_CONE_DISPLACED
                                                                : SINO_CONE_CIRCLE,
                                 .first_rad = sorted[(widest + 1) % count],
                                 .length_rad = closed ? 2 * SINO_PI : 2 * SINO_PI - gap,
                                 .fan_rad = sides.longer};
        status = check_arc(cone, &arc, &sides);
        if (!status) *result = arc;
    }
    free(sorted);
    return status;
}

/* Parker's weight of the ray at the fan angle γ, β after the arc's beginning; with δ ≥ |γ| the arc is π + 2δ. The
 * weights of a ray and of the ray from the other side, π − 2γ later at −γ, add up to 1. */
static double parker(double beta, double gamma, double delta)
{
    double sine;
    if (beta < 0 || beta > SINO_PI + 2 * delta) return 0;
    if (beta < 2 * (delta + gamma))
        sine = sin(SINO_PI / 4 * beta / (delta + gamma));
    else if (beta <= SINO_PI + 2 * gamma)
        return 1;
    else
        sine = sin(SINO_PI / 4 * (SINO_PI + 2 * delta - beta) / (delta - gamma));
    return sine * sine;
}

/* The weight of the ray at the fan angle γ on a displaced detector; those at γ and −γ add up to 1. */
static double displaced(const Sides *sides, double gamma)
{
    const double towards = sides->longer_is_last ? gamma : -gamma; /* the longer side is positive */
    if (towards >= sides->shorter) return 1;
    if (towards <= -sides->shorter) return 0;
    return 0.5 * (1 + sin(SINO_PI / 2 * towards / sides->shorter));
}

SinoStatus sino_cone_ray_weights(const SinoCone *cone, const SinoConeArc *arc, double *weight)
{
    const Sides sides = sides_of(cone);
    const double delta = (arc->length_rad - SINO_PI) / 2;
    double *share = NULL;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *share, "angles", &share));
    SinoStatus status =
        sino_filter_angle_shares(cone->angle_count, cone->angle_rad, 2 * SINO_PI, arc->kind == SINO_CONE_SHORT, share);
    for (int64_t k = 0; k < cone->angle_count && !status; k++) {
        double beta = fmod(cone->angle_rad[k] - arc->first_rad, 2 * SINO_PI);
        if (beta < -1e-6) beta += 2 * SINO_PI;
        for (int64_t c = 0; c < cone->column_count; c++) {
            const double gamma = fan_angle(cone, (double)c);
            const double part = arc->kind == SINO_CONE_SHORT       ? parker(beta, gamma, delta)
                                : arc->kind == SINO_CONE_DISPLACED ? displaced(&sides, gamma)
                                                                   : 0.5;
            weight[k * cone->column_count + c] = share[k] * part;
        }
    }
    free(share);
    return status;
}

/* One panel: rows of `stride` floats; height[stride]: h². */
SINO_VECTORISED static void weigh_panel(const SinoCone *cone, int64_t angle_count, int64_t stride, const float *height,
                                        const float *ray_weight, float *panel)
{
    const double distance = cone->source_detector;
    for (int64_t k = 0; k < angle_count; k++)
        for (int64_t c = 0; c < cone->column_count; c++) {
            const double side = ((double)c - cone->center) * cone->pixel_width;
            const float squared = (float)(distance * distance + side * side);
            const int64_t ray = k * cone->column_count + c;
            const float weight = ray_weight[ray] * (float)distance;
            for (int64_t f = 0; f < stride; f++) panel[ray * stride + f] *= weight / sqrtf(squared + height[f]);
        }
}

void sino_cone_weigh(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                     const float *ray_weight, float *sinogram)
{
    const int64_t rays = angle_count * cone->column_count;
    for (SinoPanel at = sino_panel_at(rows, 0); at.first < rows.slice_count; at = sino_panel_next(rows, at)) {
        float height[SINO_PANEL_MAX];
        for (int64_t f = 0; f < at.slices.stride; f++) {
            const double h = ((double)(first_row + at.first + f) - cone->center_row) * cone->pixel_height;
            height[f] = (float)(h * h);
        }
        weigh_panel(cone, angle_count, at.slices.stride, height, ray_weight, sino_panel_to(at, rays, sinogram));
    }
}
