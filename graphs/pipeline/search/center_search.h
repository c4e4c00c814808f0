/* SPDX-License-Identifier: BSD-3-Clause */
/* Center search: the rotation center of a scan, given or found. */
#pragma once

#include "checks.h"
#include "cone.h"
#include "input.h"
#include "settings.h"

/* Sets input->geometry.center from the settings, or searches it, and logs the result. Submits tasks and waits for them.
 * By default Vo's method and one that compares opposite projections must agree to a column; else the center of least
 * entropy of the slice decides between them, or is taken itself if it is far from both, and a warning says so.
 * Moments of the projections, where they tell a center (center.h), count by their uncertainty.
 * SINO_BAD_INPUT: the given center is outside the detector, or the scan's angles do not suit the method. */
SinoStatus sino_center_search(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input);

/* The same for a cone beam, of which all but the center is known: compares rays with their reverses in the detector row
 * that lies in the plane of the source (cone_center.h). SINO_BAD_INPUT, in addition: no ray is measured from both
 * sides, or the detector does not reach that plane. */
SinoStatus sino_cone_center_search(SinoRuntime *runtime, const SinoSettings *settings, const SinoCone *cone,
                                   SinoInput *input);

/* Sets input->geometry.center to the one that the settings give, and logs it. SINO_BAD_INPUT: it is outside the
 * detector. */
SinoStatus sino_center_take(SinoRuntime *runtime, const SinoCenterSettings *settings, SinoInput *input);

/* Logs the center as a column of the file, and as a column after crop and binning where these change the numbers. */
void sino_center_tell(SinoRuntime *runtime, const SinoInput *input, const char *how);

/* Quick center: what a run would make of the rotation axis, and whether it leans, for verbs that predict a run and
 * start no StarPU. */

/* The center that the settings give, or the middle of the detector, as a column of the input's geometry.
 * SINO_BAD_INPUT: the given center is outside the detector. */
SinoStatus sino_center_given(const SinoCenterSettings *settings, const SinoInput *input, double *center);

/* Adds what sino_suspect_center finds of the given center, or of the one by which opposite projections of a whole turn
 * are alike in the middle row (at most 96 projections are read). A half acquisition gets its center and the size of
 * its slices; of any other scan, and of a cone beam, the input stays. SINO_BAD_INPUT: as above. */
SinoStatus sino_center_quick(const SinoSettings *settings, SinoInput *input, SinoFindings *findings);

/* Adds a finding with the --detector-tilt that lets the rotation axis stand upright, if it leans by more than a column
 * between the halves of the rows: the phase correlation of the first projection and the one half a turn later, in at
 * most 128 rows at the top, in the middle and at the bottom. Nothing is found in a whole turn, whose axis may lie
 * beside the middle, with --detector-tilt, and where the three places do not agree. SINO_FAILED: the file cannot be
 * read, or no memory. */
SinoStatus sino_center_lean(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);
