/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks complete and redundancy: projections of a half acquisition, for direct methods (redundancy.h). */
#pragma once

#include "redundancy.h"
#include "runtime.h"

/* The half acquisition of a rank's angles. Errors: those of sino_redundancy_new. */
typedef struct SinoCompletion SinoCompletion;
SinoStatus sino_completion_new(SinoRuntime *runtime, const SinoGeometry *geometry, const int64_t *place,
                               SinoCompletion **completion);
void sino_completion_free(SinoCompletion *completion); /* takes NULL; no task may use it any more */

/* Inserts complete, which writes a minibatch's completed projections: `completed`, angles × sino_redundancy_width rows.
 * Cores run it. */
SinoStatus sino_insert_complete(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                SinoData *sinogram, SinoData *completed);

/* Inserts redundancy, which writes the weighed columns of the detector from completed projections. Cores run it. */
SinoStatus sino_insert_redundancy(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                  SinoData *completed, SinoData *sinogram);
