/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom, texture: a slice as of bone or rock. A body with a sharp edge holds sharp pores, sharp crystals, smooth
 * fields, and grains of all sizes from a tenth to 1/80 of half the grid; everything is an ellipsoid, so that line
 * integrals are exact. */
#pragma once

#include <stdbool.h>

/* One ellipsoid, tilted about z only, so that every slice of it is an ellipse. Lengths are shares of half the grid. */
typedef struct SinoEllipsoid {
    double value;    /* added inside */
    double a, b, c;  /* half-axes */
    double x, y, z;  /* center */
    double tilt_deg; /* from x to a */
    bool smooth;     /* the value is multiplied by (1 − ρ²)², where ρ is 1 on the surface; false: by 1 */
} SinoEllipsoid;

/* Calls use(context, ellipsoid) for every ellipsoid of the texture that meets the plane z = height, which is between −1
 * and 1. The same ellipsoids come in the same order on any machine. */
typedef void SinoEllipsoidUse(void *context, const SinoEllipsoid *ellipsoid);
void sino_phantom_texture(double height, SinoEllipsoidUse *use, void *context);
