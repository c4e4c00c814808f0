/* SPDX-License-Identifier: BSD-3-Clause */
/* Task zingers: finds the zingers of one minibatch's sinograms. */
#ifndef SINO_ZINGERS_TASK_H
#define SINO_ZINGERS_TASK_H

#include "runtime.h"
#include "zingers.h"

typedef struct SinoRemoveZingers {
    SinoZingers zingers;
    const int64_t *place; /* of each angle among the rows; NULL: in order; not owned, outlives the task */
    SinoSlices slices;
    SinoData *sinogram;
    SinoData *undefined; /* int64_t[slice], to which marked zingers are added */
    SinoData *tally;     /* int64_t[angle + column]: the same by angle, then by column */
} SinoRemoveZingers;

/* Inserts zingers, which changes a minibatch's line integrals in place. Cores run it. */
SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove);

#endif
