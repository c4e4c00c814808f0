/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_volume: reads a slice of a finished volume (volume_input.h). */
#ifndef SINO_LOAD_VOLUME_TASK_H
#define SINO_LOAD_VOLUME_TASK_H

#include "runtime.h"
#include "volume_input.h"

/* values: float[height][width]. io: void data that orders the tasks that read files. The input is not owned, and
 * outlives the task. */
SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoVolumeInput *input, int64_t slice, SinoData *io,
                                   SinoData *values);

#endif
