/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks tilt and phase: from counts to the line integrals of one minibatch, with what is done to images in between. */
#ifndef SINO_IMAGES_TASK_H
#define SINO_IMAGES_TASK_H

#include "correct_task.h"
#include "tilt.h"

/* Bytes of scratch memory with which GPUs run tilt for corrections with as many angles and slices; 0: cores alone run
 * this, since phase retrieval follows or there is no tilt. phase: NULL: none. */
int64_t sino_images_gpu_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction);

/* Inserts tilt if the detector is tilted, else phase, in the place of correct. `phase`, of the filter that follows the
 * tilt, is not owned, and outlives the task; NULL: none. correct->scratch: sino_tilt_scratch_bytes or
 * sino_phase_scratch_bytes of the rows of the minibatch; unless `host`, with which cores alone run the task, at least
 * sino_images_gpu_bytes. */
SinoStatus sino_insert_images(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct,
                              const SinoTilt *tilt, const SinoPhase *phase, bool host);

#endif
