/* SPDX-License-Identifier: BSD-3-Clause */
/* Suspicion: what in a scan is probably not meant: angles in another unit, values of another kind, fields that are
 * swapped, values that are missing. `info` prints the same findings that `recon` refuses or warns of. */
#pragma once

#include "findings.h"
#include "settings.h"

/* Looks at the angles and the beam and, unless the scan is followed, at a sample of the values and at the detector.
 * SINO_FAILED: the file cannot be read, or no memory. */
SinoStatus sino_suspect(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* Looks at the rotation center, input->geometry.center: whether the object reaches beyond the shorter side of the
 * detector in a scan of a whole turn, which direct methods would count twice and the slice cut off. */
SinoStatus sino_suspect_center(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* sino_suspect and sino_suspect_center for a run: tell the stages to choose (sino_input_choose_stages), and log the
 * warnings. The slice of a half acquisition gets room for the object. SINO_BAD_INPUT: the text of the first finding
 * that is refused. */
SinoStatus sino_check_scan(const SinoSettings *settings, const SinoInput *input, SinoLog *log, SinoStageChoice *stages);
SinoStatus sino_findings_judge(const SinoFindings *findings, SinoLog *log); /* what both do with findings */
SinoStatus sino_check_center(const SinoSettings *settings, SinoInput *input, SinoLog *log);
