/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks tilt and phase: from counts to the line integrals of one minibatch, with what is done to images in between. */
#ifndef SINO_IMAGES_TASK_H
#define SINO_IMAGES_TASK_H

#include "correct_task.h"
#include "tilt.h"

/* Inserts tilt if the detector is tilted, else phase, in the place of correct. `phase`, of the filter that follows the
 * tilt, is not owned, and outlives the task; NULL: none. scratch: sino_tilt_scratch_bytes or sino_phase_scratch_bytes
 * of the rows of the minibatch. correct->places and correct->scratch are not used: cores run it. */
SinoStatus sino_insert_images(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct,
                              const SinoTilt *tilt, const SinoPhase *phase, SinoData *scratch);

#endif
