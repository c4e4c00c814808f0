/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks subset and put: copy some rays from the sinogram, or into it. */
#pragma once

#include "panel.h"
#include "runtime.h"

typedef struct SinoSubset {
    int64_t total_rows;           /* rows of the sinogram */
    int64_t first_row, row_count; /* the subset's consecutive rows */
} SinoSubset;

/* Inserts subset, which copies the subset's rows of `sinogram` to `part` (row_count rows). Only cores run it. */
SinoStatus sino_insert_subset(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSubset *subset,
                              SinoData *sinogram, SinoData *part);

/* Consecutive angles of a scan, and where they are in its sinogram. */
typedef struct SinoPut {
    int64_t angle_total, columns;
    int64_t first_angle, angle_count;
    const int64_t *place; /* [angle_total]: number of each angle in the sinogram; not owned */
} SinoPut;

/* Inserts put, which copies the rays of the angles, `part`, to `sinogram`, of which nothing is kept if first_angle is
 * 0. Only cores run it. */
SinoStatus sino_insert_put(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoPut *put,
                           SinoData *part, SinoData *sinogram);
