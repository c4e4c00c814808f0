/* SPDX-License-Identifier: BSD-3-Clause */
/* Center search: the rotation center of a scan, given or found. */
#ifndef SINO_CENTER_SEARCH_H
#define SINO_CENTER_SEARCH_H

#include "input.h"

/* Sets input->geometry.center from the settings, or searches it, and logs the result. Submits tasks and waits for them.
 * SINO_BAD_INPUT: the given center is outside the detector, or the scan's angles do not suit the method. */
SinoStatus sino_center_search(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input);

/* Finds the center by phase correlation of the first projection and the projection half a turn later. *center is in the
 * geometry's columns. SINO_BAD_INPUT: the scan has no such pair. */
SinoStatus sino_center_by_phase(SinoRuntime *runtime, const SinoInput *input, double *center);

#endif
