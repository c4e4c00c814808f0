/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter_views: weights and ramp filter of FDK for projections that have vectors. */
#pragma once

#include "runtime.h"
#include "view_filter.h"

/* Projections first … first + count − 1 of column_count × row_count pixels. Nothing is owned, and all outlives the
 * task. */
typedef struct SinoFilterViews {
    const SinoFilter *filter; /* of column_count values, as the rows have, or of row_count */
    bool along_rows;
    const SinoView *view; /* [projection] */
    const double *weight; /* [projection] */
    const float *share;   /* [projection][pixel of a line]; NULL: 1 */
    int64_t first, count, column_count, row_count;
} SinoFilterViews;

/* rays[projection][column][row], between rays_begin and rays_end (rays_gate_task.h). scratch:
 * sino_view_filter_scratch_bytes. */
SinoStatus sino_insert_filter_views(SinoRuntime *runtime, SinoPosition position, const SinoFilterViews *wanted,
                                    SinoData *scratch, SinoData *rays);
