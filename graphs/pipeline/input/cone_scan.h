/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone scan: the cone beam or the vectors of a scan, from what the settings and files say. */
#pragma once

#include "cone.h"
#include "input.h"
#include "scan.h"
#include "settings.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>

/* Cone setup: the lengths of a cone beam, from what the settings and the file say. */

/* The lengths that the settings give, and else the file; 0: neither does. */
SinoScanSetup sino_cone_setup(const SinoGeometrySettings *settings, const SinoScanInfo *info);

/* Degrees over which rays spread by the lengths of the file; 0: it tells none, or they spread over less than one
 * degree, as at a synchrotron. */
double sino_cone_spread(const SinoScanInfo *info);

/* Lengths of a scan that has none: the detector is one and a half times as far from the source as the axis, and the
 * axis four sides of a slice; pixels are 0.2 mm wide. A distance or a width that the settings give determines the
 * others. */
SinoScanSetup sino_cone_usual_setup(const SinoGeometrySettings *settings, int64_t column_count);

/* SINO_BAD_INPUT: a length is missing, or the lengths are those of no cone beam. */
SinoStatus sino_cone_check_setup(const SinoSettings *settings, const SinoScanSetup *setup);

/* Writes the names of the options whose lengths are 0 as "--a, --b and --c" into `text`; returns their number. */
enum { SINO_CONE_MISSING_SIZE = 128 };
int sino_cone_missing(const SinoScanSetup *setup, char text[SINO_CONE_MISSING_SIZE]);

/* Cone scan: the cone beam of a scan, from what the settings and the file say. */

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

/* Vectors scan: a scan whose projections have vectors, from a file and what the settings say. */

/* Sets input->view by --vectors, if the geometry is of vectors, for the part of the detector and the projections that
 * the input has. SINO_BAD_INPUT: as of sino_vectors_read; or the file has vectors of more or fewer projections than the
 * scan, or of a detector of another size; or no size of pixels is told, or two are; or as of sino_orbit_parse. */
SinoStatus sino_vectors_take(const SinoGeometrySettings *settings, SinoInput *input);

/* The vectors of such an input as --vectors reads them: numbers[projection of the file], of its whole detector. Those
 * of projections that the input leaves out stay. */
void sino_vectors_of_file(const SinoInput *input, double (*numbers)[SINO_VIEW_NUMBERS]);

/* sino_cone_scan of such an input, given the sizes of the detector and of the grid, whose middle is where the vectors
 * have 0. A voxel is as wide as a detector pixel seen there, the mean of all projections. Members of the cone that an
 * axis would determine are NaN. SINO_BAD_INPUT: the volume reaches behind the source, or no projection sees it; or with
 * fdk as of sino_fdk_check. */
SinoStatus sino_vectors_scan(const SinoSettings *settings, const SinoInput *input, SinoCone *cone);

/* Orbit views: the vectors of projections by words, for helices, laminography and turned detectors.
 *
 *     orbit:source=200,detector=300,pixel=0.2,turns=3,pitch=8       a helix
 *     orbit:tilt=30                                                 laminography by parallel rays
 *
 * source, detector   mm from the source to the axis, and to the detector; without both: parallel rays
 * pixel              side of a detector pixel, mm; 1 if it is not given
 * tilt               degrees by which the middle ray rises towards larger slices
 * roll               degrees by which the detector is turned, as --detector-tilt has them
 * turns              projections are spread evenly over so many turns; if not given: the angles of the scan
 * pitch              mm, with turns: how far source and detector go towards larger slices in a turn
 */

typedef struct SinoOrbit {
    double source_mm, detector_mm; /* 0: parallel rays */
    double pixel_mm;
    double tilt_deg, roll_deg;
    double turns; /* 0: not given */
    double pitch_mm;
} SinoOrbit;

bool sino_orbit_probe(const char *vectors); /* "orbit:" */

/* SINO_BAD_INPUT: an unknown word, a number that is none or out of bounds, or words that do not go together. */
SinoStatus sino_orbit_parse(const char *vectors, SinoOrbit *orbit);

/* At an angle, with the part of the whole motion in [0, 1] that is done then; `first` is the middle of the detector. */
SinoView sino_orbit_view(const SinoOrbit *orbit, double angle_rad, double part);
