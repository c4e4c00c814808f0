/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks load_volume and load_counts: read slices of a finished volume (volume_input.h), and a set of values that go
 * with a system matrix (counts_file.h). */
#pragma once

#include "counts_file.h"
#include "runtime.h"
#include "volume_input.h"

/* Slices of a volume. Pointers are not owned, and outlive the task. */
typedef struct SinoVolumeSlices {
    SinoVolumeInput *input;
    int64_t first_slice, slice_count;
    const char *name; /* in errors; NULL: any values are allowed */
    double least;     /* with a name: every value is finite, and at least this, 0 or −∞ */
} SinoVolumeSlices;

/* values: float[slice][height][width], of slice_count slices or more. io: void data that orders the tasks that read
 * files. The run fails with SINO_BAD_INPUT if the file is damaged, or a value is not allowed. */
SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoPosition position, const SinoVolumeSlices *part,
                                   SinoData *io, SinoData *values);

/* values: float of every element of a set. io: void data that orders the tasks that read and write files. The file is
 * not owned, and outlives the task. */
SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values);
