/* SPDX-License-Identifier: BSD-3-Clause */
/* Plane sums: backprojects filtered rays of a parallel beam to three planes of the volume alone, for a picture of it
 * while its scan comes. A plane needs a share of 1/N of the backprojection of N slices of N × N voxels. The weights are
 * SINO_PIXELS_LINEAR (pixels.h); the detector is 0 beside its columns. */
#pragma once

#include "geometry.h"
#include "panel.h"

/* Slices and planes are S × S, the middle of the grid. */
typedef struct SinoPlaneSums {
    SinoGeometry geometry;            /* angle_rad is not owned */
    SinoSlices slices;                /* of the rays, in single or double precision */
    int64_t first_slice;              /* the slice of the volume that is their first one */
    int64_t first_angle, angle_count; /* ray (angle k, column c) is row (k − first_angle)·M + c */
    int64_t slice;                    /* of the volume: xy */
} SinoPlaneSums;

/* Adds the angles to xy[S][S], and to rows first_slice … of xz[slice of the volume][S], of row S/2, and of yz, of
 * column S/2. rays: in panels (panel.h). */
void sino_plane_sums_add(const SinoPlaneSums *what, const void *rays, float *xy, float *xz, float *yz);

/* plane = scale · sums, or 0 beyond mask_ratio times the radius of the inscribed circle of a slice; 0: no mask. A plane
 * has `rows` rows of `side` voxels of the slice, each from row first_row of the slice on; step: rows of the slice
 * between those of the plane, 0 for xz and yz, which show one. */
void sino_plane_sums_show(int64_t rows, int64_t side, int64_t first_row, int64_t step, double scale, double mask_ratio,
                          const float *sums, float *plane);
