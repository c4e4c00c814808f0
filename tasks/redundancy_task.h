/* SPDX-License-Identifier: BSD-3-Clause */
/* Task redundancy: weights of the detector columns of one minibatch, for direct methods. */
#ifndef SINO_REDUNDANCY_TASK_H
#define SINO_REDUNDANCY_TASK_H

#include "redundancy.h"
#include "runtime.h"

/* Inserts redundancy, which changes a minibatch's line integrals in place. weight[column_count] is not owned, and
 * outlives the task. Cores run it. */
SinoStatus sino_insert_redundancy(SinoRuntime *runtime, SinoPosition position, int64_t angle_count,
                                  int64_t column_count, SinoSlices slices, const double *weight, SinoData *sinogram);

#endif
