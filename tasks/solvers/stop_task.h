/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stop: slices of a minibatch stop after a number of iterations of their own. */
#pragma once

#include "panel.h"
#include "runtime.h"

/* Inserts stop: each slice f with last[f] = iteration keeps its values from here on. last: [slices.slice_count], must
 * stay until the task has run. state: SinoSliceState[slice]. Only cores run it. */
SinoStatus sino_insert_stop(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t iteration,
                            const int64_t *last, SinoData *state);
