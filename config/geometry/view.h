/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the rays of one projection, whatever the geometry of its scan.
 *
 * The ray of the detector's column c and row r passes the middle of its pixel, first + column·c + row·r. It comes from
 * a point, `source`; or, of parallel beams, `source` is the direction in which it goes. x points right, y up and z
 * along the slices (docs/CONVENTIONS.md). */
#pragma once

#include <math.h>
#include <stdint.h>

enum { SINO_VIEW_NUMBERS = 12 }; /* of the vectors below */

typedef struct SinoView {
    double source[3];
    double first[3], column[3], row[3];
    int64_t parallel; /* 0 or 1; as wide as the others, so that equal views have equal bytes */
} SinoView;

static inline void sino_view_cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline double sino_view_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The direction of the ray of pixel (0, 0), as long as from the source to the pixel if it has one. */
static inline void sino_view_direction(const SinoView *view, double direction[3])
{
    for (int i = 0; i < 3; i++) direction[i] = view->parallel ? view->source[i] : view->first[i] - view->source[i];
}

/* Where a view sees points: depth = plane[0]·(1, x, y, z), column = plane[1]·(1, x, y, z)/depth, and row likewise. The
 * depth is 1 on the detector and 0 at the source; of parallel rays it is always 1. */
typedef struct SinoViewPlanes {
    double plane[3][4];
} SinoViewPlanes;

/* The view's direction and the vectors of its pixels must not lie in a plane. */
static inline SinoViewPlanes sino_view_planes(const SinoView *view)
{
    SinoViewPlanes planes;
    double direction[3], normal[3][3];
    const double *const from = view->parallel ? view->first : view->source;
    sino_view_direction(view, direction);
    sino_view_cross(view->column, view->row, normal[0]);
    sino_view_cross(view->row, direction, normal[1]);
    sino_view_cross(direction, view->column, normal[2]);
    const double volume = sino_view_dot(direction, normal[0]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) planes.plane[k][i + 1] = normal[k][i] / volume;
        planes.plane[k][0] = -sino_view_dot(normal[k], from) / volume;
    }
    if (!view->parallel) return planes;
    planes.plane[0][0] = 1;
    for (int i = 1; i < 4; i++) planes.plane[0][i] = 0;
    return planes;
}

static inline double sino_view_value(const SinoViewPlanes *planes, int number, const double point[3])
{
    const double *plane = planes->plane[number];
    return plane[0] + plane[1] * point[0] + plane[2] * point[1] + plane[3] * point[2];
}

/* How far the image of one projection lies from its place on the detector, in columns and rows. The value of column c
 * and row r lies at c + column and r + row. */
typedef struct SinoShift {
    double column, row;
} SinoShift;

/* View turn: by how much the view of one projection is turned about (0, 0, 0), in radians: its pitch about the
 * direction of its columns, and then its roll about the direction of its beam. */
typedef struct SinoViewTurn {
    double pitch, roll;
} SinoViewTurn;

/* Turns a vector about an axis, by Rodrigues' formula. */
static inline void sino_turn_vector(const double axis[3], double angle_rad, double vector[3])
{
    const double length = sqrt(sino_view_dot(axis, axis)), c = cos(angle_rad), s = sin(angle_rad);
    const double unit[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    const double along = sino_view_dot(unit, vector) * (1 - c);
    double across[3];
    sino_view_cross(unit, vector, across);
    for (int i = 0; i < 3; i++) vector[i] = c * vector[i] + s * across[i] + along * unit[i];
}

static inline void sino_turn_view_about(const double direction[3], double angle_rad, SinoView *view)
{
    const double axis[3] = {direction[0], direction[1], direction[2]};
    sino_turn_vector(axis, angle_rad, view->source);
    sino_turn_vector(axis, angle_rad, view->first);
    sino_turn_vector(axis, angle_rad, view->column);
    sino_turn_vector(axis, angle_rad, view->row);
}

/* The beam of a view with a source passes (0, 0, 0). */
static inline SinoView sino_view_turned(SinoViewTurn turn, SinoView view)
{
    sino_turn_view_about(view.column, turn.pitch, &view);
    sino_turn_view_about(view.source, turn.roll, &view);
    return view;
}
