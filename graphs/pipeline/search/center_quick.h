/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick center: what a run would make of the rotation axis, and whether it leans, for verbs that predict a run and
 * start no StarPU. */
#pragma once

#include "settings.h"
#include "suspicion.h"

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
