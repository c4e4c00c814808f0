/* SPDX-License-Identifier: BSD-3-Clause */
/* Center lean: whether the rotation axis leans, for verbs that predict a run and start no StarPU. */
#pragma once

#include "settings.h"
#include "suspicion.h"

/* Adds a finding with the --detector-tilt that lets the rotation axis stand upright, if it leans by more than a column
 * between the halves of the rows: the phase correlation of the first projection and the one half a turn later, in at
 * most 128 rows at the top, in the middle and at the bottom. Nothing is found in a whole turn, whose axis may lie
 * beside the middle, with --detector-tilt, and where the three places do not agree. SINO_FAILED: the file cannot be
 * read, or no memory. */
SinoStatus sino_center_lean(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);
