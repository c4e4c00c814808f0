/* SPDX-License-Identifier: BSD-3-Clause */
/* Task live: writes the page of a run that follows a scan, once a second at most. */
#ifndef SINO_LIVE_TASK_H
#define SINO_LIVE_TASK_H

#include "live_page.h"
#include "runtime.h"

#include <stdbool.h>

/* What the tasks of a run have shown; zeros before the first one. */
typedef struct SinoLiveShown {
    double last_s;      /* when, by sino_platform_now_s */
    int64_t added;      /* projections */
    double added_s;     /* when they became as many */
    double added_per_s; /* then */
    bool failed;        /* a page could not be written, which is told once, as a warning */
} SinoLiveShown;

/* Inserts live. The planes and the rate of the page come from the task. `shown` and the page's texts are not owned, and
 * outlive the tasks; `order`: void data that all tasks of the page have. */
SinoStatus sino_insert_live(SinoRuntime *runtime, SinoPosition position, const SinoLivePage *page, SinoLiveShown *shown,
                            SinoData *const plane[SINO_LIVE_PLANES], SinoData *order);

#endif
