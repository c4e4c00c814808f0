/* SPDX-License-Identifier: BSD-3-Clause */
/* Task integrals: keeps the line integrals of some slices in an array of the whole scan. */
#pragma once

#include "panel.h"
#include "runtime.h"

typedef struct SinoKeepIntegrals {
    int64_t angle_count, row_count, column_count; /* of the array */
    int64_t first_row;                            /* of the array: the first one of the slices */
    SinoSlices slices;                            /* of the sinogram; single precision */
    float *to; /* [angle][row][column]; undefined values become NaN; not owned, outlives the task */
} SinoKeepIntegrals;

/* Inserts integrals, from a sinogram [angle·column_count + column] in panels, whose undefined values are −0. */
SinoStatus sino_insert_integrals(SinoRuntime *runtime, SinoPosition position, const SinoKeepIntegrals *keep,
                                 SinoData *sinogram);
