/* SPDX-License-Identifier: BSD-3-Clause */
/* Task correct: from counts to the line integrals of one minibatch. */
#ifndef SINO_CORRECT_TASK_H
#define SINO_CORRECT_TASK_H

#include "correct.h"
#include "runtime.h"

/* The data of one task correct. */
typedef struct SinoCorrect {
    SinoCorrection correction;
    SinoData *counts, *flat, *dark;
    SinoData *sinogram, *repaired; /* sinogram: rows in panels; repaired: int64_t[slice] */
    SinoData *tally;               /* int64_t[angle + column]: undefined values by angle, then by column */
    SinoData *places;              /* for GPUs: its places; NULL: it has none */
    SinoData *scratch;             /* for GPUs: sino_correct_scratch; NULL: cores run the task */
} SinoCorrect;
/* Inserts correct. sino_correct_scratch makes the scratch memory that GPUs need for corrections of this size; the
 * caller frees it. */
SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct);
SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch);

#endif
