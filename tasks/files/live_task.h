/* SPDX-License-Identifier: BSD-3-Clause */
/* Task live: writes the page of a run that follows a scan, once a second at most. */
#pragma once

#include "live_page.h"
#include "runtime.h"

#include <stdbool.h>

/* The line integrals of a detector row, by which the rotation axis is found. Nothing is owned. */
typedef struct SinoLiveRow {
    float *sinogram;         /* [angle][column], filled by tasks before those of the page; NULL: there is none */
    const double *angle_rad; /* of each row */
    int64_t column_count;
    double around;             /* the axis is near this column */
    double first_column, step; /* the place of column c in the file: first_column + step·c */
} SinoLiveRow;

/* What the tasks of a run have shown; zeros before the first one. */
typedef struct SinoLiveShown {
    double last_s;       /* when, by sino_platform_now_s */
    int64_t added;       /* projections */
    double added_s;      /* when they became as many */
    double added_per_s;  /* then */
    SinoLiveTrail trail; /* of the xy plane and the row */
    bool failed;         /* a page could not be written, which is told once, as a warning */
} SinoLiveShown;

/* Inserts live. The planes, the rate and the trail of the page come from the task. `shown`, `row` and the page's texts
 * are not owned, and outlive the tasks; `order`: void data that all tasks of the page have. */
SinoStatus sino_insert_live(SinoRuntime *runtime, SinoPosition position, const SinoLivePage *page,
                            const SinoLiveRow *row, SinoLiveShown *shown, SinoData *const plane[SINO_LIVE_PLANES],
                            SinoData *order);
