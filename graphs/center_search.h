/* SPDX-License-Identifier: BSD-3-Clause */
/* Center search: the rotation center of a scan, given or found. */
#ifndef SINO_CENTER_SEARCH_H
#define SINO_CENTER_SEARCH_H

#include "input.h"

/* Sets input->geometry.center from the settings, or finds it, and tells the log. SINO_BAD_INPUT: a given center outside
 * the detector; angles that do not allow the method. */
SinoStatus sino_center_search(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input);

/* The line integrals of one slice by load and correct tasks: float[K][M]; caller frees. */
SinoStatus sino_center_slice(SinoRuntime *runtime, const SinoInput *input, int64_t slice, float **sinogram);

/* By phase correlation of the first projection and the one half a turn later, in the geometry's columns. Reads on the
 * calling thread, while no task does. SINO_BAD_INPUT: there is no such pair. */
SinoStatus sino_center_by_phase(const SinoInput *input, double *center);

#endif
