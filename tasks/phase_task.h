/* SPDX-License-Identifier: BSD-3-Clause */
/* Task phase: from counts to the line integrals of one minibatch, with Paganin's filter in between. */
#ifndef SINO_PHASE_TASK_H
#define SINO_PHASE_TASK_H

#include "correct_task.h"
#include "phase.h"

/* Inserts phase, in the place of correct. `phase` is not owned, and outlives the task. scratch:
 * sino_phase_scratch_bytes of the rows of the minibatch. correct->places and correct->scratch are not used: cores run
 * it. */
SinoStatus sino_insert_phase(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct,
                             const SinoPhase *phase, SinoData *scratch);

#endif
