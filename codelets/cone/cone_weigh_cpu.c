/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: arcs, and weights of cone-beam rays before the ramp filter.
 *
 * The ray of angle θ through a column has the fan angle γ, tan γ = (column − center)·width/S, and is the ray of a
 * parallel beam at the angle θ − γ. The same line is seen from the other side at θ + π − 2γ, at the fan angle −γ: by
 * the reverse of the ray.
 *
 * Of a ray and its reverse, the one that lies further inside the scan counts more. With p = s(distance from the next
 * gap of the circle)·s(distance from the nearer edge of the detector), s rising from 0 to 1 as sin², a ray has the
 * share p/(p + p') of its line, where p' is that of its reverse, 0 if it is not measured. The share is smooth along the
 * detector, as the ramp filter needs it, and 1/2 in a whole circle whose axis is in the middle. D. Parker (Med. Phys.
 * 9, 254 (1982)) has other such weights for a short arc, and G. Wang (Med. Phys. 29, 1634 (2002)) for a displaced
 * detector. */
#include "cone_weigh.h"

#include "circle.h"
#include "memory.h"
#include "sort.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degrees = 180 / SINO_PI;

/* A gap between neighbouring angles that is so many times as wide as the median, and at least so wide, is *open*: no
 * angle stands for it. */
static const double open_ratio = 3, open_rad = 10 * SINO_PI / 180;

/* Whatever the median is. */
static const double always_open_rad = SINO_PI / 2;

/* Where weights rise beside an open gap. */
static const double rise_rad = 20 * SINO_PI / 180;

/* Lines that a scan with several open gaps may lack, of all that are at one distance from the axis. */
static const double unseen_most = 0.25;

static double fan_angle(const SinoCone *cone, double column)
{
    return atan((column - cone->center) * cone->pixel_width / cone->source_detector);
}

/* Columns from the axis to the outermost ones; a side that the detector does not reach is negative. */
typedef struct Sides {
    double shorter, longer;
} Sides;

static Sides sides_of(const SinoCone *cone)
{
    const double before = cone->center, after = (double)(cone->column_count - 1) - cone->center;
    return (Sides){fmin(before, after), fmax(before, after)};
}

/* ---- gaps of the circle ---- */

/* The part of the circle that no angle stands for. */
typedef struct Gap {
    double first_rad, length_rad;
} Gap;

typedef struct Gaps {
    SinoCircle circle;
    double *share_rad; /* [different angle]: what it stands for; owned */
    double *inside;    /* [different angle]: how far inside the covered part it lies, 0 to 1; owned */
    Gap *gap;          /* [count]: the open ones; owned */
    int64_t count;
    double open_rad; /* from angle to angle, of all open ones */
} Gaps;

static double gap_after(const SinoCircle *circle, int64_t i)
{
    return sino_circle_angle(circle, i + 1) - sino_circle_angle(circle, i);
}

static SinoStatus find_median(const SinoCircle *circle, double *median)
{
    double *width;
    SINO_TRY(sino_allocate(circle->count, sizeof *width, "gaps", &width));
    for (int64_t i = 0; i < circle->count; i++) width[i] = gap_after(circle, i);
    *median = width[sino_sort_finite(circle->count, width) / 2];
    free(width);
    return NULL;
}

static bool is_open(double width, double median)
{
    return width >= always_open_rad || (width >= open_ratio * median && width >= open_rad);
}

/* The part of the circle that an angle stands for: before it, and after it. */
typedef struct Arc {
    double before, after;
} Arc;

/* Half of the gaps beside it; beside an open gap, half of its other gap twice. */
static Arc arc_of(const SinoCircle *circle, double median, int64_t i)
{
    const double before = gap_after(circle, i > 0 ? i - 1 : circle->count - 1), after = gap_after(circle, i);
    const bool from = is_open(before, median), to = is_open(after, median);
    return (Arc){(!from ? before : !to ? after : median) / 2, (!to ? after : !from ? before : median) / 2};
}

static void fill_gaps(double median, Gaps *gaps)
{
    const SinoCircle *circle = &gaps->circle;
    for (int64_t i = 0; i < circle->count; i++) {
        const Arc arc = arc_of(circle, median, i), next = arc_of(circle, median, (i + 1) % circle->count);
        const double width = gap_after(circle, i);
        gaps->share_rad[i] = arc.before + arc.after;
        if (!is_open(width, median)) continue;
        gaps->gap[gaps->count++] = (Gap){circle->angle_rad[i] + arc.after, width - arc.after - next.before};
        gaps->open_rad += width;
    }
}

static double folded(double rad)
{
    const double rest = fmod(rad, 2 * SINO_PI);
    return rest < 0 ? rest + 2 * SINO_PI : rest;
}

static double rise(double distance, double whole)
{
    const double sine = sin(SINO_PI / 2 * fmin(fmax(distance, 0) / whole, 1));
    return sine * sine;
}

/* How far inside the circle's covered part an angle lies. */
static double inside_circle(const Gaps *gaps, double rad)
{
    double nearest = rise_rad;
    for (int64_t i = 0; i < gaps->count; i++) {
        const double since = folded(rad - gaps->gap[i].first_rad), length = gaps->gap[i].length_rad;
        nearest = fmin(nearest, since < length ? 0 : fmin(since - length, 2 * SINO_PI - since));
    }
    return rise(nearest, rise_rad);
}

static void free_gaps(Gaps *gaps)
{
    sino_circle_free(&gaps->circle);
    free(gaps->share_rad);
    free(gaps->inside);
    free(gaps->gap);
}

static SinoStatus find_gaps(const SinoCone *cone, Gaps *result)
{
    Gaps gaps = {0};
    double median;
    SINO_TRY(sino_circle_new(cone->angle_count, cone->angle_rad, cone->dropped, 2 * SINO_PI, &gaps.circle));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, fail, find_median(&gaps.circle, &median));
    SINO_TRY_OR(status, fail, sino_allocate(gaps.circle.count, sizeof *gaps.share_rad, "gaps", &gaps.share_rad));
    SINO_TRY_OR(status, fail, sino_allocate(gaps.circle.count, sizeof *gaps.inside, "gaps", &gaps.inside));
    SINO_TRY_OR(status, fail, sino_allocate(gaps.circle.count, sizeof *gaps.gap, "gaps", &gaps.gap));
    fill_gaps(median, &gaps);
    for (int64_t i = 0; i < gaps.circle.count; i++) gaps.inside[i] = inside_circle(&gaps, gaps.circle.angle_rad[i]);
    *result = gaps;
    return NULL;
fail:
    free_gaps(&gaps);
    return status;
}

/* ---- which scans are taken ---- */

/* Of the lines at the fan angle γ, the share that lies in open gaps from both sides. */
static double unseen_share(const Gaps *gaps, double gamma)
{
    double both = 0;
    for (int64_t i = 0; i < gaps->count; i++)
        for (int64_t j = 0; j < gaps->count; j++) {
            const Gap *gap = &gaps->gap[i], *other = &gaps->gap[j];
            const double from = folded(other->first_rad - SINO_PI + 2 * gamma - gap->first_rad);
            both += fmax(fmin(from + other->length_rad, gap->length_rad) - from, 0);
            both += fmax(fmin(from + other->length_rad - 2 * SINO_PI, gap->length_rad), 0);
        }
    return both / (2 * SINO_PI);
}

static double most_unseen(const Gaps *gaps, double fan_rad)
{
    enum { STEPS = 32 };
    double most = 0;
    for (int i = -STEPS; i <= STEPS; i++) most = fmax(most, unseen_share(gaps, fan_rad * i / STEPS));
    return most;
}

/* As RTK: below, the detector counts as centered. */
static bool is_displaced(const Sides *sides)
{
    return sides->longer - sides->shorter > 0.1 * sides->longer;
}

static SinoStatus check_arc(const SinoCone *cone, const SinoConeArc *arc)
{
    const double least = SINO_PI + 2 * arc->fan_rad;
    const Sides sides = sides_of(cone);
    SINO_CHECK(
        arc->gap_count != 1 || arc->length_rad >= least * (1 - 1e-3), SINO_BAD_INPUT,
        "the angles cover %.4g degrees, and the fan is %.4g degrees wide; allowed: 180 degrees and the fan, %.4g "
        "degrees, or more, or an iterative algorithm such as --algorithm cg",
        arc->length_rad * degrees, 2 * arc->fan_rad * degrees, least * degrees);
    SINO_CHECK(arc->unseen <= unseen_most, SINO_BAD_INPUT,
               "the angles leave out %.4g degrees in %lld gaps, and %.0f %% of the lines at one distance from the axis "
               "are seen from neither side; allowed: up to %.0f %%, or --algorithm cg",
               360 - arc->length_rad * degrees, (long long)arc->gap_count, 100 * arc->unseen, 100 * unseen_most);
    SINO_CHECK(arc->gap_count == 0 || !is_displaced(&sides), SINO_BAD_INPUT,
               "rotation axis at column %g of %lld, far from the middle, and the angles cover %.4g degrees; allowed: a "
               "whole circle, or an axis near the middle",
               cone->center, (long long)cone->column_count, arc->length_rad * degrees);
    SINO_CHECK(sides.shorter > 0, SINO_BAD_INPUT,
               "rotation axis at column %g, and the detector has columns 0 to %lld; allowed: an axis on the "
               "detector",
               cone->center, (long long)cone->column_count - 1);
    return NULL;
}

SinoStatus sino_cone_arc_new(const SinoCone *cone, SinoConeArc *result)
{
    const Sides sides = sides_of(cone);
    Gaps gaps;
    SINO_CHECK(cone->column_count > 1, SINO_BAD_INPUT,
               "the detector has 1 column, whose rays have no width together; allowed with --algorithm fdk: 2 or more");
    SINO_TRY(find_gaps(cone, &gaps));
    SinoConeArc arc = {.kind = gaps.count > 0         ? SINO_CONE_SHORT
                               : is_displaced(&sides) ? SINO_CONE_DISPLACED
                                                      : SINO_CONE_CIRCLE,
                       .gap_count = gaps.count,
                       .length_rad = 2 * SINO_PI - gaps.open_rad,
                       .fan_rad = fan_angle(cone, cone->center + sides.longer)};
    if (gaps.count > 1) arc.unseen = most_unseen(&gaps, arc.fan_rad);
    free_gaps(&gaps);
    SINO_TRY(check_arc(cone, &arc));
    *result = arc;
    return NULL;
}

/* ---- weights ---- */

/* How far inside the detector a place lies, which need not be a column. */
static double inside_detector(const SinoCone *cone, double column)
{
    return rise(fmin(column + 0.5, (double)cone->column_count - 0.5 - column), sides_of(cone).shorter + 0.5);
}

/* The rays through a place on the detector, and their reverses. */
typedef struct Sight {
    double own, reverse; /* how far inside the detector both lie */
    double turn_rad;     /* from the angle of a ray to that of its reverse */
} Sight;

static Sight sight_of(const SinoCone *cone, double column)
{
    return (Sight){inside_detector(cone, column), inside_detector(cone, 2 * cone->center - column),
                   SINO_PI - 2 * fan_angle(cone, column)};
}

/* The share of the ray at the different angle i in its line. */
static double line_share(const Gaps *gaps, const Sight *sight, int64_t i)
{
    const double rad = gaps->circle.angle_rad[i];
    const double own = gaps->inside[i] * sight->own;
    return own > 0 ? own / (own + inside_circle(gaps, rad + sight->turn_rad) * sight->reverse) : 0;
}

/* The weights of the rays of a column. With open gaps, those of all rays at one distance from the axis add up to a
 * circle: others stand for the lines that are not seen. */
static void weigh_column(const SinoCone *cone, const Gaps *gaps, int64_t column, double *weight)
{
    const int64_t stride = sino_cone_filtered(cone).column_count, count = gaps->circle.count;
    const Sight sight = sight_of(cone, (double)column), mirrored = sight_of(cone, 2 * cone->center - (double)column);
    const double of_all = line_share(gaps, &sight, 0); /* in a closed circle */
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        weight[i * stride] = gaps->share_rad[i] * (gaps->count > 0 ? line_share(gaps, &sight, i) : of_all);
        if (gaps->count > 0) sum += weight[i * stride] + gaps->share_rad[i] * line_share(gaps, &mirrored, i);
    }
    for (int64_t i = 0; i < count && sum > 0; i++) weight[i * stride] *= 2 * SINO_PI / sum;
}

SinoStatus sino_cone_ray_weights(const SinoCone *cone, double *weight)
{
    const int64_t columns = sino_cone_filtered(cone).column_count;
    double *of_circle;
    Gaps gaps;
    SINO_TRY(find_gaps(cone, &gaps));
    const SinoCircle *circle = &gaps.circle;
    SinoStatus status = sino_allocate(sino_times(circle->count, columns), sizeof *of_circle, "weights", &of_circle);
    if (!status) {
        for (int64_t c = 0; c < cone->column_count; c++)
            weigh_column(cone, &gaps, c, of_circle + cone->columns_before + c);
        for (int64_t k = 0; k < cone->angle_count; k++) {
            const int64_t i = circle->number[k];
            for (int64_t c = 0; c < columns; c++)
                weight[k * columns + c] = i < 0 ? 0 : of_circle[i * columns + c] / (double)circle->members[i];
        }
        free(of_circle);
    }
    free_gaps(&gaps);
    return status;
}

/* One angle of a panel: rows of `stride` floats; height[stride]: h². */
SINO_VECTORISED static void weigh_angle(const SinoCone *cone, int64_t stride, const float *height,
                                        const float *ray_weight, const float *panel, float *weighed)
{
    const double distance = cone->source_detector;
    for (int64_t c = 0; c < cone->column_count; c++) {
        const double side = ((double)c - cone->center) * cone->pixel_width;
        const float squared = (float)(distance * distance + side * side);
        const float weight = ray_weight[c] * (float)distance;
        for (int64_t f = 0; f < stride; f++)
            weighed[c * stride + f] = panel[c * stride + f] * (weight / sqrtf(squared + height[f]));
    }
}

/* One panel. */
static void weigh_panel(const SinoCone *cone, int64_t angle_count, int64_t stride, const float *height,
                        const float *ray_weight, const float *panel, float *weighed)
{
    const int64_t before = cone->columns_before * stride, inside = cone->column_count * stride;
    const int64_t after = cone->columns_after * stride, columns = sino_cone_filtered(cone).column_count;
    for (int64_t k = 0; k < angle_count; k++) {
        float *to = weighed + k * columns * stride;
        weigh_angle(cone, stride, height, ray_weight + k * columns + cone->columns_before, panel + k * inside,
                    to + before);
        memset(to, 0, (size_t)before * sizeof *to);
        memset(to + before + inside, 0, (size_t)after * sizeof *to);
    }
}

void sino_cone_weigh(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                     const float *ray_weight, const float *sinogram, float *weighed)
{
    const int64_t rays = angle_count * cone->column_count;
    const int64_t wide = angle_count * sino_cone_filtered(cone).column_count;
    for (SinoPanel at = sino_panel_at(rows, 0); at.first < rows.slice_count; at = sino_panel_next(rows, at)) {
        float height[SINO_PANEL_MAX];
        for (int64_t f = 0; f < at.slices.stride; f++) {
            const double h = sino_cone_height(cone, (double)(first_row + at.first + f));
            height[f] = (float)(h * h);
        }
        weigh_panel(cone, angle_count, at.slices.stride, height, ray_weight, sino_panel_from(at, rays, sinogram),
                    sino_panel_to(at, wide, weighed));
    }
}
