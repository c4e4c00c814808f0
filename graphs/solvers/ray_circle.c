/* SPDX-License-Identifier: BSD-3-Clause */
/* Ray circle: the axis about which projections that have vectors turn. It is the direction in which their sources, or
 * the directions of parallel rays, spread least: about 0, which fits any arc of a great circle, or else about their
 * mean. */
#include "ray_circle.h"

#include "arithmetic.h"

#include <inttypes.h>
#include <stddef.h>

/* How far sources may lie beside the circle, and directions of parallel rays, as a share of its radius; the latter is
 * also the sine of the angle by which rows of pixels may lean. */
static const double most_beside = 0.05, most_tilt = 0.1;

static double length(const double vector[3])
{
    return sqrt(sino_view_dot(vector, vector));
}

static bool normalise(double vector[3])
{
    const double norm = length(vector);
    for (int i = 0; i < 3; i++) vector[i] /= norm;
    return norm > 0;
}

/* The source, or the direction of parallel rays. */
static void place_of(const SinoView *view, double place[3])
{
    const double norm = view->parallel ? length(view->source) : 1;
    for (int i = 0; i < 3; i++) place[i] = view->source[i] / norm;
}

/* The direction in which places spread least about `middle`; false: they spread in less than two. Its projector is the
 * adjugate of their moments, squared until nothing else is left. */
static bool least_spread(const SinoCone *cone, const double middle[3], double direction[3])
{
    enum { SQUARINGS = 12 };
    double moment[3][3] = {{0}}, power[3][3], trace = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        double place[3];
        place_of(&cone->view[k], place);
        for (int i = 0; i < 9; i++)
            moment[i / 3][i % 3] += (place[i / 3] - middle[i / 3]) * (place[i % 3] - middle[i % 3]);
    }
    for (int i = 0; i < 3; i++) trace += moment[i][i];
    for (int i = 0; i < 3; i++) sino_view_cross(moment[(i + 1) % 3], moment[(i + 2) % 3], power[i]);
    if (!(power[0][0] + power[1][1] + power[2][2] > 1e-12 * trace * trace)) return false;
    for (int n = 0; n < SQUARINGS; n++) {
        double square[3][3];
        const double scale = 1 / (power[0][0] + power[1][1] + power[2][2]);
        for (int i = 0; i < 9; i++) square[i / 3][i % 3] = scale * sino_view_dot(power[i / 3], power[i % 3]);
        for (int i = 0; i < 9; i++) power[i / 3][i % 3] = scale * square[i / 3][i % 3];
    }
    int largest = 0;
    for (int i = 1; i < 3; i++)
        if (power[i][i] > power[largest][largest]) largest = i;
    for (int i = 0; i < 3; i++) direction[i] = power[largest][i];
    return normalise(direction);
}

/* How far places are beside the circle of this axis that fits them best, as a share of its radius. */
static double fit_axis(const SinoCone *cone, SinoRayCircle *circle, int64_t *farthest)
{
    const double count = (double)cone->angle_count;
    double most = 0, place[3], part[3];
    circle->radius = circle->height = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        place_of(&cone->view[k], place);
        sino_view_cross(circle->axis, place, part);
        circle->radius += length(part) / count;
        circle->height += sino_view_dot(circle->axis, place) / count;
    }
    *farthest = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        place_of(&cone->view[k], place);
        sino_view_cross(circle->axis, place, part);
        const double beside = hypot(length(part) - circle->radius, sino_view_dot(circle->axis, place) - circle->height);
        if (beside > most) *farthest = k;
        most = fmax(most, beside);
    }
    return most / circle->radius;
}

/* The axis points along z rather than against it, so that angles grow as those of a scan. */
static void complete(SinoRayCircle *circle)
{
    int least = 0;
    double *axis = circle->axis, start[3] = {0, 0, 0};
    if (axis[2] < 0)
        for (int i = 0; i < 3; i++) axis[i] = -axis[i];
    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) < fabs(axis[least])) least = i;
    start[least] = 1;
    sino_view_cross(axis, start, circle->across[0]);
    normalise(circle->across[0]);
    sino_view_cross(axis, circle->across[0], circle->across[1]);
}

static SinoStatus find_axis(const SinoCone *cone, SinoRayCircle *circle)
{
    const double origin[3] = {0, 0, 0}, allowed = cone->view->parallel ? most_tilt : most_beside;
    double mean[3] = {0}, place[3], beside;
    int64_t farthest = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        place_of(&cone->view[k], place);
        for (int i = 0; i < 3; i++) mean[i] += place[i] / (double)cone->angle_count;
    }
    SINO_CHECK(least_spread(cone, origin, circle->axis), SINO_BAD_INPUT,
               "algorithm is fdk, and all projections see the volume from one direction; allowed: projections that "
               "turn about an axis");
    complete(circle);
    beside = fit_axis(cone, circle, &farthest);
    if (!(beside <= allowed) && least_spread(cone, mean, circle->axis)) {
        complete(circle);
        beside = fit_axis(cone, circle, &farthest);
    }
    SINO_CHECK(
        beside <= allowed, SINO_BAD_INPUT,
        "algorithm is fdk, and the %s of projection %" PRId64
        " lies %.3g of the radius beside the mean circle of all, as on a helix; allowed: up to %g, or " SINO_FDK_ELSE,
        cone->view->parallel ? "direction" : "source", farthest, beside, allowed);
    return NULL;
}

SinoRayMotion sino_ray_motion(const SinoRayCircle *circle, const SinoView *view)
{
    const double origin[3] = {0, 0, 0};
    const SinoViewPlanes planes = sino_view_planes(view);
    const double depth = sino_view_value(&planes, 0, origin);
    double place[3], tangent[3];
    SinoRayMotion motion;
    place_of(view, place);
    motion.angle_rad = atan2(sino_view_dot(circle->across[1], place), sino_view_dot(circle->across[0], place));
    sino_view_cross(circle->axis, place, tangent);
    normalise(tangent);
    const double deeper = sino_view_dot(planes.plane[0] + 1, tangent);
    for (int i = 0; i < 2; i++) {
        const double at = sino_view_value(&planes, i + 1, origin);
        motion.step[i] = (sino_view_dot(planes.plane[i + 1] + 1, tangent) - at / depth * deeper) / depth;
    }
    return motion;
}

SinoStatus sino_ray_circle_pixels(const SinoCone *cone, SinoRayCircle *circle)
{
    double along[2] = {0, 0};
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoView *view = &cone->view[k];
        const SinoRayMotion motion = sino_ray_motion(circle, view);
        along[0] += fabs(motion.step[0]) * length(view->column);
        along[1] += fabs(motion.step[1]) * length(view->row);
    }
    circle->along_rows = along[0] >= along[1];
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoView *view = &cone->view[k];
        const SinoRayMotion motion = sino_ray_motion(circle, view);
        const double column = motion.step[0] * length(view->column), row = motion.step[1] * length(view->row);
        const double lean = fabs(circle->along_rows ? row : column) / hypot(column, row);
        SINO_CHECK(
            lean <= most_tilt, SINO_BAD_INPUT,
            "algorithm is fdk, and by --vectors the %s of projection %" PRId64
            " lean by %.3g degrees to the way on which pixels move; allowed: up to %.3g degrees, or " SINO_FDK_ELSE,
            circle->along_rows ? "rows" : "columns", k, asin(lean) * 180 / SINO_PI, asin(most_tilt) * 180 / SINO_PI);
    }
    return NULL;
}

SinoStatus sino_ray_circle_fit(const SinoCone *cone, SinoRayCircle *result)
{
    SinoRayCircle circle = {.along_rows = true};
    SINO_TRY(find_axis(cone, &circle));
    SINO_TRY(sino_ray_circle_pixels(cone, &circle));
    *result = circle;
    return NULL;
}

double sino_ray_circle_lean(const SinoRayCircle *circle)
{
    return fabs(circle->height) / hypot(circle->radius, circle->height);
}

bool sino_ray_circle_level(const SinoRayCircle *circle)
{
    return sino_ray_circle_lean(circle) <= most_tilt;
}
