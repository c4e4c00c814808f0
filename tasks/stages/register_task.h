/* SPDX-License-Identifier: BSD-3-Clause */
/* Task register: how far measured projections lie from predicted ones. */
#pragma once

#include "register.h"
#include "runtime.h"

enum { SINO_REGISTER_PREDICTIONS = 3 }; /* of views, and of pitched and rolled ones */

/* Projections first … first + count − 1 of column_count × row_count pixels. Nothing is owned, and all outlives the
 * task.
 */
typedef struct SinoRegister {
    int64_t first, count, column_count, row_count;
    const float *measured;  /* [projection][column][row] */
    double turn_rad;        /* of the turned predictions */
    SinoCentroid *centroid; /* [projection]: is set; NULL: `result` is */
    SinoRegistered *result; /* [projection] */
} SinoRegister;

/* predicted: as `measured`; the turned ones NULL: only shifts are wanted; all NULL: centroids are. */
SinoStatus sino_insert_register(SinoRuntime *runtime, const SinoRegister *wanted,
                                SinoData *const predicted[SINO_REGISTER_PREDICTIONS]);
