/* SPDX-License-Identifier: BSD-3-Clause */
/* Support: the voxels that may have a value, those of a circle about the middle of the slice and of an image. */
#pragma once

#include "solver.h"

/* Makes the support of a run, 1, and 0 where voxels stay 0: data of one slice, [partition]; *support NULL: all voxels
 * may have a value. The operator's kind has tiles, or bands of a cone beam. The caller frees it with sino_support_free,
 * which takes NULL. SINO_BAD_INPUT: no voxel may have a value. */
SinoStatus sino_support_new(const SinoSolverRun *run, SinoData ***support);
void sino_support_free(const SinoSolverRun *run, SinoData **support);

/* Bytes of a support. */
int64_t sino_support_bytes(const SinoShape *shape);

/* Sets the voxels of a minibatch's vector to 0 outside of the support; NULL: none. */
SinoStatus sino_support_apply(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *const *support,
                              int vector);
