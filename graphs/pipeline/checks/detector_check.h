/* SPDX-License-Identifier: BSD-3-Clause */
/* Detector check: how the detector of a cone beam stands. */
#pragma once

#include "findings.h"
#include "settings.h"

/* Adds a finding with the tilt and the center row of a cone beam, by up to 90 projections of all rows, averaged to at
 * most 128 columns and 96 rows (cone_consistency.h). Those that the settings leave to sinodag, and that the projections
 * deny without doubt, are set in findings->stages, whose direction of turning counts. SINO_FAILED: the file cannot be
 * read, or no memory. */
SinoStatus sino_detector_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);
