/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone scan: the cone beam of a scan, from what the settings and the file say. */
#pragma once

#include "cone.h"
#include "cone_setup.h"
#include "input.h"
#include "settings.h"

/* The geometry of the whole detector after crop and binning, and the voxel grid. An option counts more than what the
 * file says. Detector pixels are those of the file times the binning; a voxel is as wide as one of them seen at the
 * axis, and there are as many voxels along x and y as the input's grid_size, and along z as rows, unless --voxel-size
 * and --volume say otherwise. Of a part of the rows the slices are those that these see. `center`: the axis as a column
 * of the geometry (sino_input_column_of_grid). cone->angle_rad points to the angles of the input. SINO_BAD_INPUT: a
 * length is missing; the detector is between source and axis; pixels and distances do not fit together; the source is
 * inside the volume; no ray crosses the volume; with FDK, the arc is too short (sino_cone_arc_new). */
SinoStatus sino_cone_scan(const SinoSettings *settings, const SinoInput *input, double center, SinoCone *cone);

/* Iterative algorithms put the part of a long object that only rays of the outer rows meet, above and below the volume,
 * into its last slices, unless they have voxels for it: gives the volume a margin (cone.h) that these rays do not leave
 * within its largest circle. Nothing with --volume XxYxZ and fans, by vectors of no level circle, or for FDK.
 * SINO_BAD_INPUT: too many voxels. */
SinoStatus sino_cone_take_margin(const SinoSettings *settings, SinoCone *cone);

/* The detector row that is nearest to the plane of the source, as a fan beam: the only rays that stay in one slice.
 * Restricts the input and the cone to it. */
void sino_cone_take_row(SinoInput *input, SinoCone *cone);

/* A cone beam, or projections that have vectors, without a file. Not to be moved: the input points to `info`. Nothing
 * is owned but input.view. */
typedef struct SinoConeDescription {
    SinoScanInfo info;
    SinoInput input; /* counts of two bytes, one flat and one dark field */
    SinoCone cone;
} SinoConeDescription;

/* Describes angle_count projections of column_count × row_count pixels, with the usual lengths where the settings give
 * none, and the axis in the middle. angle_rad[angle_count] is not owned. Errors: those of sino_vectors_take and
 * sino_cone_scan; input.view may be there nevertheless. */
SinoStatus sino_cone_describe(const SinoSettings *settings, int64_t angle_count, const double *angle_rad,
                              int64_t column_count, int64_t row_count, SinoConeDescription *description);
