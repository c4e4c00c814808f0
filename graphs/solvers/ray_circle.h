/* SPDX-License-Identifier: BSD-3-Clause */
/* Ray circle: the axis about which projections that have vectors turn, whichever way it leans, for filters that follow
 * the turn. Of a cone beam the sources lie on a circle; of parallel rays the directions, of length 1, do: on a great
 * circle, as those of a tilt series, or on a smaller one, as those of laminography. */
#pragma once

#include "cone.h"
#include "status.h"

/* Allowed in place of fdk, for vectors of every kind. */
#define SINO_FDK_ELSE "an iterative algorithm, such as fista, sirt or cg"

typedef struct SinoRayCircle {
    double axis[3], across[2][3]; /* of length 1, at right angles to each other */
    double radius, height;        /* of the circle, and of its plane over the volume's middle: mm, or of directions 1 */
    bool along_rows;              /* the way on which pixels move; false: along columns */
} SinoRayCircle;

/* How a projection turns about the axis. */
typedef struct SinoRayMotion {
    double angle_rad;
    double step[2]; /* columns and rows by which a point at the volume's middle moves in a mm on the way of the turn */
} SinoRayMotion;

SinoRayMotion sino_ray_motion(const SinoRayCircle *circle, const SinoView *view);

/* SINO_BAD_INPUT: sources or directions are on no circle, or pixels move neither along rows nor along columns. */
SinoStatus sino_ray_circle_fit(const SinoCone *cone, SinoRayCircle *circle);

/* Sets along_rows; axis and across are given. SINO_BAD_INPUT: pixels of some projection move neither way. */
SinoStatus sino_ray_circle_pixels(const SinoCone *cone, SinoRayCircle *circle);

/* The sine of the angle that the middle ray and the plane of a turn enclose. */
double sino_ray_circle_lean(const SinoRayCircle *circle);

/* Whether the middle ray lies in the plane of the turn, as that of a tilt series does: opposite projections of parallel
 * rays then see the same. */
bool sino_ray_circle_level(const SinoRayCircle *circle);
