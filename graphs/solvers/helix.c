/* SPDX-License-Identifier: BSD-3-Clause */
/* Helix: sources that turn about the z axis again and again, and go along it evenly. */
#include "helix.h"

#include "arithmetic.h"
#include "ray_circle.h"

#include <math.h>
#include <stddef.h>

/* How far sources may lie beside the helix: of its radius, and along z of its pitch. */
static const double most_beside = 0.05;

static double radius_of(const SinoView *view)
{
    return hypot(view->source[0], view->source[1]);
}

/* Whether the sources turn one way, in steps of less than half a turn, for a turn or more. */
static bool unwrap(const SinoCone *cone, double *turn_rad)
{
    const int64_t last = cone->angle_count - 1;
    for (int64_t k = 0; k <= last; k++) {
        const double angle = atan2(cone->view[k].source[1], cone->view[k].source[0]);
        turn_rad[k] = k == 0 ? angle : turn_rad[k - 1] + remainder(angle - turn_rad[k - 1], 2 * SINO_PI);
        if (k > 1 && !((turn_rad[k] - turn_rad[k - 1]) * (turn_rad[k - 1] - turn_rad[k - 2]) > 0)) return false;
    }
    const double step = last > 1 ? fabs(turn_rad[last] - turn_rad[0]) / (double)last : 0;
    return step * (double)(last + 1) >= 2 * SINO_PI * (1 - 1e-6);
}

SinoHelix sino_helix_fit(const SinoCone *cone, double *turn_rad)
{
    const double count = (double)cone->angle_count;
    SinoHelix helix = {.low_mm = INFINITY, .high_mm = -INFINITY};
    double turn = 0, height = 0, product = 0, square = 0;
    if (cone->view->parallel || !unwrap(cone, turn_rad)) return (SinoHelix){0};
    for (int64_t k = 0; k < cone->angle_count; k++) {
        helix.radius += radius_of(&cone->view[k]) / count;
        turn += turn_rad[k] / count;
        height += cone->view[k].source[2] / count;
    }
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const double up = cone->view[k].source[2];
        product += (turn_rad[k] - turn) * (up - height);
        square += (turn_rad[k] - turn) * (turn_rad[k] - turn);
        helix.low_mm = fmin(helix.low_mm, up);
        helix.high_mm = fmax(helix.high_mm, up);
    }
    const double rise = product / square;
    helix.pitch_mm = 2 * SINO_PI * fabs(rise);
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const double beside = cone->view[k].source[2] - height - rise * (turn_rad[k] - turn);
        if (!(fabs(beside) <= most_beside * helix.pitch_mm)) return (SinoHelix){0};
        if (fabs(radius_of(&cone->view[k]) - helix.radius) > most_beside * helix.radius) return (SinoHelix){0};
    }
    return helix;
}

/* Millimetres along z at the near side of the volume that all projections see, up and down from their sources. */
static double seen_mm(const SinoCone *cone, const SinoHelix *helix, bool along_rows)
{
    const int64_t pixels = along_rows ? cone->row_count : cone->column_count;
    const double side = (double)sino_larger(cone->x_count, cone->y_count) / 2 * cone->voxel_size;
    double half = INFINITY;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoView *view = &cone->view[k];
        const SinoViewPlanes planes = sino_view_planes(view);
        const double origin[3] = {0, 0, view->source[2]}, depth = sino_view_value(&planes, 0, origin);
        const double at = sino_view_value(&planes, along_rows ? 2 : 1, origin) / depth;
        const double *step = along_rows ? view->row : view->column;
        const double pixel = sqrt(sino_view_dot(step, step)) * depth; /* at the axis */
        half = fmin(half, fmin(at + 0.5, (double)pixels - 0.5 - at) * pixel);
    }
    return fmax(2 * half * (helix->radius - side) / helix->radius, 0);
}

SinoStatus sino_helix_window(const SinoCone *cone, const SinoHelix *helix, bool along_rows, SinoConeWindow *window)
{
    const double seen = seen_mm(cone, helix, along_rows), turns = seen / helix->pitch_mm,
                 least = 1 + SINO_CONE_LEAST_RAMP;
    SINO_CHECK(turns >= least, SINO_BAD_INPUT,
               "algorithm is fdk, and --vectors are of a helix of %.4g mm a turn, of which %s see %.4g mm at the near "
               "side of the volume, about the sources' height; allowed: a pitch of up to %.4g mm, or " SINO_FDK_ELSE,
               helix->pitch_mm, along_rows ? "rows" : "columns", seen, seen / least);
    *window = (SinoConeWindow){helix->pitch_mm, turns, helix->low_mm, helix->high_mm};
    return NULL;
}

int64_t sino_helix_ends(const SinoCone *cone, const SinoHelix *helix)
{
    const double whole = helix->high_mm - helix->low_mm - helix->pitch_mm, half = whole / 2;
    const double middle = (helix->high_mm + helix->low_mm) / 2, plane = sino_cone_plane_slice(cone);
    int64_t ends = 0;
    for (int64_t z = 0; z < cone->z_count; z++)
        ends += fabs(((double)z - plane) * cone->voxel_size - middle) > half + cone->voxel_size;
    return ends;
}
