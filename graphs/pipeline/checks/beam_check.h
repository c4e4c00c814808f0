/* SPDX-License-Identifier: BSD-3-Clause */
/* Beam check: whether the rays of a scan of a whole turn run as the settings say. */
#pragma once

#include "findings.h"
#include "settings.h"

/* Adds a finding if another beam fits a scan of a whole turn far better than that of the settings: a fan or cone
 * instead of parallel rays or the reverse, another direction of turning, or another distance of the source. By rays and
 * their reverses (cone_center.h) in one row, the plane of the source or the middle of the detector, of up to 360
 * projections. A direction that the settings leave to sinodag is set in findings->stages. SINO_FAILED: the file cannot
 * be read, or no memory. */
SinoStatus sino_beam_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);
