/* SPDX-License-Identifier: BSD-3-Clause */
/* View turn: by how much the view of one projection is turned about (0, 0, 0), in radians: its pitch about the
 * direction of its columns, and then its roll about the direction of its beam. */
#pragma once

#include "view.h"

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
