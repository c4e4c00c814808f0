/* SPDX-License-Identifier: BSD-3-Clause */
/* Task planes: takes what slices have of three planes of the volume. */
#ifndef SINO_PLANES_TASK_H
#define SINO_PLANES_TASK_H

#include "live_page.h"
#include "runtime.h"
#include "sections.h"

/* Slices of a minibatch, and the volume; its arrays are not used. */
typedef struct SinoPlanes {
    SinoSections sections;
    int64_t first_slice, slice_count;
} SinoPlanes;

/* Inserts planes, from `image`, float[slice][height][width], to the planes, as those of SinoLivePage. */
SinoStatus sino_insert_planes(SinoRuntime *runtime, SinoPosition position, const SinoPlanes *planes, SinoData *image,
                              SinoData *const plane[SINO_LIVE_PLANES]);

#endif
