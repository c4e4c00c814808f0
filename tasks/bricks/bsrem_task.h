/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bsrem: the update of an image of counts by a subset of the rows and a prior (codelets/bricks/bsrem.h). Without
 * devices several tasks share the rows of the vector. */
#pragma once

#include "bsrem.h"
#include "runtime.h"

/* g becomes the new x. column[row], place[column]: the order of the voxels; kappa, weight: [row]. The rows that are
 * computed are all. */
SinoStatus sino_insert_bsrem(SinoRuntime *runtime, SinoPosition position, const SinoBsrem *bsrem, SinoData *column,
                             SinoData *place, SinoData *kappa, SinoData *weight, SinoData *state, SinoData *x,
                             SinoData *g);
