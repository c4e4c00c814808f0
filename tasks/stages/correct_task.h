/* SPDX-License-Identifier: BSD-3-Clause */
/* Task correct: from counts to the line integrals of one minibatch. */
#pragma once

#include "correct.h"
#include "runtime.h"

/* The data of one task correct. */
typedef struct SinoCorrect {
    SinoCorrection correction;
    SinoData *counts, *flat, *dark;
    SinoData *sinogram, *repaired; /* sinogram: rows in panels; repaired: int64_t[slice] */
    SinoData *tally;               /* int64_t[angle + column]: undefined values by angle, then by column */
    /* For GPUs: int64_t[place_count], the places of the angles among the rows, then with several sets of flat fields
     * double[…], of which flat_at[k] is number flat_first + k; NULL: neither. */
    SinoData *angles;
    int64_t place_count, flat_first;
    SinoData *scratch; /* for GPUs: sino_correct_scratch; NULL: cores run the task */
} SinoCorrect;
/* Inserts correct. sino_correct_scratch makes the scratch memory that GPUs need for corrections of this size; the
 * caller frees it. */
SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct);
SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch);
