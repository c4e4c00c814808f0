/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinhole: the system matrix of a gamma camera that circles an object behind a plate with one round hole (SPECT).
 *
 * In the frame of a view at angle θ a point (x, y, z) has the coordinates
 *
 *     x' = x·cos θ + y·sin θ,   y' = −x·sin θ + y·cos θ,   z' = z,
 *
 * the hole is at (0, hole_mm, 0), and the detector is the plane y' = detector_mm, whose bins are centered on x' = z' =
 * 0. The entry of a bin and a voxel is the mean, over rays from points of the voxel through points of the hole, of
 *
 *     (reference_mm/d)² · cos α · exp(−μ·s)
 *
 * for rays that end in the bin: d is the way to the middle of the hole, α its angle to the y' axis, s its way in the
 * body, a cylinder of the material μ. The end of a ray is moved by a normal deviate, which is the resolution of the
 * detector. The points are an additive sequence in four dimensions (M. Roberts, "The unreasonable effectiveness of
 * quasirandom sequences", 2018). */
#pragma once

#include "system_matrix.h"

#include <stdint.h>

typedef struct PinholeCamera {
    int64_t view_count, slice_count, bin_count; /* row = (view · slice_count + slice) · bin_count + bin */
    double first_angle_rad, angle_step_rad;
    double bin_mm; /* side of a bin */
    double hole_mm, hole_diameter_mm, detector_mm;
    double acceptance_rad; /* of the hole, to either side, along x' and along z' */
    double blur_mm;        /* σ of the deviates, */
    double blur_limit;     /* which are at most so many σ long */
    double reference_mm;
    double body_radius_mm, body_length_mm, attenuation; /* 1/mm */
    double object_radius_mm;                            /* voxels with centers farther from the axis have no entries */
    SinoVoxelGrid grid;                                 /* centered; the coordinates grow with the numbers of voxels */
} PinholeCamera;

/* What a test wants to know of a matrix. */
typedef struct PinholeMatrix {
    int64_t row_count, voxel_count;
    int64_t *start;      /* [row + 1]: entries of the rows before; owned, as is the following */
    double *sensitivity; /* [voxel]: sum of the column */
} PinholeMatrix;

/* Writes the matrix as the group /matrix of an HDF5 file, as SciPy has CSR. The caller frees the result. */
PinholeMatrix pinhole_write(const PinholeCamera *camera, const char *path);
void pinhole_free(PinholeMatrix *matrix);
