/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stripes: removes stripes from the sinograms of one minibatch. */
#ifndef SINO_STRIPES_TASK_H
#define SINO_STRIPES_TASK_H

#include "runtime.h"
#include "stripes.h"

typedef struct SinoRemoveStripes {
    const SinoStripes *stripes; /* not owned, outlives the task */
    const int64_t *place;       /* of each angle among the rows; NULL: in order; likewise */
    SinoSlices slices;
    bool marked;         /* dead columns are marked as undefined */
    int64_t angle_count; /* of the sinograms; with column_count the measure of the task's time */
    int64_t column_count;
    SinoData *scratch; /* sino_stripes_scratch_bytes per worker */
    SinoData *sinogram;
} SinoRemoveStripes;

/* Inserts stripes, which changes a minibatch's line integrals in place. Cores run it. */
SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove);

#endif
