/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_weights: reads the weights of a minibatch's rays (weights_file.h). */
#pragma once

#include "load_task.h"
#include "panel.h"
#include "weights_file.h"

/* Weights of the rays that this rank owns. Pointers are not owned, and outlive the task. */
typedef struct SinoLoadWeights {
    SinoWeightsFile *file; /* NULL in simulations, or if there is `slice` */
    SinoWeightsPart part;  /* whose box has the rows of the minibatch's slices */
    const float *slice;    /* [angle of the scan][column]: weights of every slice; NULL: `file` has them */
    int64_t run_count;
    const SinoAngleRun *run; /* the angles */
    const int64_t *place;    /* angle number j of the runs becomes rows place[j]·M + c of M columns; NULL: j */
    SinoSlices slices;
    int64_t member_count;       /* the rows of all of them, one after the other, are those of the rays */
    const int64_t *member_rows; /* [member_count]; NULL: there is one member */
} SinoLoadWeights;

/* weights[member_count]: vectors in panels, a row for each ray; padding becomes 0. sinogram: the line integrals of the
 * same rays, in one vector, which become −0, no value (correct.h), where the weight is 0. io: void data that orders the
 * tasks that read files; NULL if there is `slice`. The run fails with SINO_BAD_INPUT if a weight is not allowed. */
SinoStatus sino_insert_load_weights(SinoRuntime *runtime, SinoPosition position, const SinoLoadWeights *load,
                                    SinoData *io, SinoData *sinogram, SinoData *const *weights);
