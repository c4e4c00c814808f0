/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter: the ramp filter on line integrals of one minibatch. */
#pragma once

#include "filter.h"
#include "runtime.h"

/* Plans of a filter (for cores, and for GPUs if they compute), for minibatches of angle_count angles and `stride`
 * slices, padding included. `filter` and angle_weight[angle_count] are not owned. SINO_FAILED: no memory, or a GPU has
 * no memory for its plan. */
typedef struct SinoFilterPlans SinoFilterPlans;
SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **plans);
void sino_filter_plans_free(SinoFilterPlans *plans); /* takes NULL; no task may use them any more */

/* Inserts filter, which filters a minibatch's line integrals in place. */
SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram);

/* The same for a sinogram of some consecutive angles, on cores. */
SinoStatus sino_insert_filter_some(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                                   int64_t first_angle, int64_t angle_count, SinoData *sinogram);
