/* SPDX-License-Identifier: BSD-3-Clause */
/* Task weigh: weighs the line integrals of a block of cone-beam projections before the ramp filter. */
#pragma once

#include "cone_weigh.h"
#include "runtime.h"

/* A block of projections, of which slice f is detector row first_row + f. Pointers are not owned, and outlive the task.
 */
typedef struct SinoWeigh {
    const SinoCone *cone;
    int64_t angle_count;
    SinoSlices rows;
    int64_t first_row;
    const float *ray_weight; /* [angle_count][column of the filtered detector], in main memory */
    SinoData *weights;       /* for GPUs: data that have ray_weight; NULL: cores run the task */
    int64_t first_weight;    /* floats from the beginning of `weights` to ray_weight */
} SinoWeigh;

/* Inserts weigh, which writes `weighed`; the same data as `sinogram`: it changes them in place. */
SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram,
                             SinoData *weighed);
