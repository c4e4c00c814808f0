/* SPDX-License-Identifier: BSD-3-Clause */
/* Task restore: checks the slices that an unfinished run has stored. */
#pragma once

#include "journal.h"
#include "runtime.h"
#include "sections.h"
#include "volume.h"

/* Where the entries of a journal go. Pointers are not owned. */
typedef struct SinoRestore {
    const SinoJournal *journal;
    SinoVolume *volume;
    int64_t slice_count;   /* of the volume */
    int64_t numbers;       /* of a slice's history */
    double *history;       /* the run's [slices][numbers] */
    int64_t *repaired;     /* the run's [slices]; NULL: not told */
    int64_t tally_count;   /* of every entry; the caller adds the tallies of slices that are taken over */
    SinoSections sections; /* get the slices that are found */
    int64_t *told; /* [2][slices]: becomes 1 where this rank has a slice's repair count; and where its voxels are on the
                    * disk as they were stored */
} SinoRestore;

/* Inserts restore, which reads the slices of the journal's entries back, compares their checksums, and copies what the
 * entries tell. Entries that do not fit the volume are left out. */
SinoStatus sino_insert_restore(SinoRuntime *runtime, const SinoRestore *restore);
