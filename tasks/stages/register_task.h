/* SPDX-License-Identifier: BSD-3-Clause */
/* Task register: how far measured projections lie from predicted ones. */
#pragma once

#include "register.h"
#include "runtime.h"

/* Projections first … first + count − 1 of column_count × row_count pixels. Nothing is owned, and all outlives the
 * task.
 */
typedef struct SinoRegister {
    int64_t first, count, column_count, row_count;
    const float *measured;  /* [projection][column][row] */
    SinoCentroid *centroid; /* [projection]: is set; NULL: `result` is */
    SinoRegistered *result; /* [projection] */
} SinoRegister;

/* predicted: as `measured`; NULL: centroids are wanted. */
SinoStatus sino_insert_register(SinoRuntime *runtime, const SinoRegister *wanted, SinoData *predicted);
