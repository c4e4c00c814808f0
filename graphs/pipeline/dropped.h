/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropped: projections without any value, such as those of a scan that was stopped early. Direct methods leave them
 * out, so that their neighbours stand for their angles; solvers give their rays the weight 0 (correct.h). */
#ifndef SINO_DROPPED_H
#define SINO_DROPPED_H

#include "input.h"

/* dropped[angle of the scan]: the projection has no value in three rows spread over the detector. No other tasks may be
 * in flight. */
SinoStatus sino_dropped_find(SinoRuntime *runtime, const SinoInput *input, bool *dropped);

/* Whether the run's algorithm leaves them out. */
bool sino_dropped_matter(const SinoSettings *settings);

#endif
