/* SPDX-License-Identifier: BSD-3-Clause */
/* Support: the voxels that may have a value, those of a circle about the middle of the slice. */
#ifndef SINO_SUPPORT_H
#define SINO_SUPPORT_H

#include "solver.h"

/* Whether the settings restrict the support. The operator's kind then has tiles. */
bool sino_support_is_given(const SinoSolverRun *run);

/* Sets the elements of a vector of one slice to 0 where the voxel's middle lies outside of the circle. vector:
 * [partition], of SINO_ROWS_VOXELS and slices. Waits for the tasks that access the vector. */
SinoStatus sino_support_clear_outside(const SinoSolverRun *run, SinoSlices slices, SinoData *const *vector);

/* Sets the voxels of a minibatch's vector to 0 where the support is not above 0. support: [partition], of one slice. */
SinoStatus sino_support_apply(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *const *support,
                              int vector);

#endif
