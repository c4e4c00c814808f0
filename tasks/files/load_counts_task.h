/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_counts: reads a set of values that go with a system matrix (counts_file.h). */
#pragma once

#include "counts_file.h"
#include "runtime.h"

/* values: float of every element of a set. io: void data that orders the tasks that read and write files. The file is
 * not owned, and outlives the task. */
SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values);
