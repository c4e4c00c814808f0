/* SPDX-License-Identifier: BSD-3-Clause */
/* Task columns: line integrals of a few projections become rays of a cone beam's operator, whose detector rows are
 * neighbours in memory. */
#pragma once

#include "panel.h"
#include "runtime.h"

/* A few projections. Angle k becomes the rays number place[k]·column_count·rows … of the vector. */
typedef struct SinoColumns {
    int64_t angle_count, column_count;
    SinoSlices rows;      /* detector rows of the sinogram; single precision */
    const int64_t *place; /* [angle_count]; not owned, outlives the task */
} SinoColumns;

/* Inserts columns, from a sinogram [angle·column_count + column] in panels of rows to rays[place][column][row]. */
SinoStatus sino_insert_columns(SinoRuntime *runtime, SinoPosition position, const SinoColumns *columns, bool first,
                               SinoData *sinogram, SinoData *rays);
