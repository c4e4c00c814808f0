/* SPDX-License-Identifier: BSD-3-Clause */
/* Task subset: copies the rays of one subset from the sinogram. */
#ifndef SINO_SUBSET_TASK_H
#define SINO_SUBSET_TASK_H

#include "panel.h"
#include "runtime.h"

typedef struct SinoSubset {
    int64_t total_rows;           /* rows of the sinogram */
    int64_t first_row, row_count; /* the subset's consecutive rows */
} SinoSubset;

/* Inserts subset, which copies the subset's rows of `sinogram` to `part` (row_count rows). Only cores run it. */
SinoStatus sino_insert_subset(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSubset *subset,
                              SinoData *sinogram, SinoData *part);

#endif
