/* SPDX-License-Identifier: BSD-3-Clause */
/* Task count: adds the undefined values of a few projections to those of many. */
#pragma once

#include "runtime.h"

/* The projections first_angle … first_angle + angle_count − 1 of angle_total. */
typedef struct SinoCount {
    int64_t first_angle, angle_count, angle_total;
    int64_t column_count;
    int64_t first_row, row_count; /* the sinogram's slices among the rows of `to` */
} SinoCount;

/* Inserts count, from what a task correct tells (repaired[row_count], tally[angle_count + column_count]) to `to`,
 * int64_t[angle_total + column_count + rows]; or, where there is `rows`, int64_t[row_count], to `to` without rows and
 * to it. `first`: the first of the projections, before which `to` and `rows` become 0. */
SinoStatus sino_insert_count(SinoRuntime *runtime, SinoPosition position, const SinoCount *count, bool first,
                             SinoData *repaired, SinoData *tally, SinoData *to, int64_t to_count, SinoData *rows);
