/* SPDX-License-Identifier: BSD-3-Clause */
/* Task zingers: finds the zingers of one minibatch's sinograms. */
#pragma once

#include "sinogram_rows.h"
#include "zingers.h"

typedef struct SinoRemoveZingers {
    SinoZingers zingers;
    SinoSinogramRows rows;
    SinoData *undefined; /* int64_t[slice], to which marked zingers are added */
    SinoData *tally;     /* int64_t[angle + column]: the same by angle, then by column */
    SinoData *order;     /* int64_t[angle]: zingers.order for GPUs; NULL: there is none, or cores alone run the task */
} SinoRemoveZingers;

/* Inserts zingers, which changes a minibatch's line integrals in place. */
SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove);
