/* SPDX-License-Identifier: BSD-3-Clause */
/* Task air: normalises the sinograms of one minibatch to the light beside the object. */
#ifndef SINO_AIR_TASK_H
#define SINO_AIR_TASK_H

#include "air.h"
#include "runtime.h"

/* Inserts air, which changes a minibatch's line integrals in place. place: of each angle among the rows; NULL: in
 * order; not owned, outlives the task. Cores run it. */
SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air, SinoSlices slices,
                           const int64_t *place, SinoData *sinogram);

#endif
