/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropped: projections without any value, such as those of a scan that was stopped early. Direct methods leave them
 * out, so that their neighbours stand for their angles; solvers give their rays the weight 0 (correct.h). */
#pragma once

#include "input.h"
#include "settings.h"

/* Makes input->dropped: projections that have no value in three rows spread over the detector. No other tasks may be in
 * flight. SINO_FAILED: no memory, or reading fails. */
SinoStatus sino_dropped_find(SinoRuntime *runtime, SinoInput *input);

/* Makes input->dropped of a rank that is told which they are. SINO_FAILED: no memory. */
SinoStatus sino_dropped_new(SinoInput *input);

/* Whether the run's algorithm leaves them out. */
bool sino_dropped_matter(const SinoSettings *settings);
