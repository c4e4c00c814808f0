/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes the images of a minibatch to the volume. */
#pragma once

#include "journal.h"
#include "load_task.h"
#include "runtime.h"
#include "sections.h"
#include "volume.h"

/* Where undefined values are counted. Pointers are not owned. */
typedef struct SinoTally {
    int64_t *by_angle;  /* the run's [angle of the scan] */
    int64_t *by_column; /* the run's [column_count] */
    int64_t *by_row;    /* the run's [row_count]; NULL: rows are counted as slices (SinoStore.repaired) */
    int64_t column_count, row_count, run_count;
    const SinoAngleRun *run; /* [run_count]: the angles of this rank, in the order of a minibatch's tally */
} SinoTally;

/* The numbers of a minibatch's tally: by angle of this rank, then by column, then by row. */
int64_t sino_tally_count(const SinoTally *to);

/* Adds a minibatch's tally to the run's. */
void sino_tally_add(const SinoTally *to, const int64_t *tally);

/* Destinations of a minibatch: the image goes to the volume, history and counts of undefined values go to the run's
 * arrays. Of the ranks that share a minibatch one keeps its image; the others (`keeper` false) contribute the counts of
 * their angles. Pointers are not owned. */
typedef struct SinoStore {
    bool keeper;
    bool rounds;          /* the image becomes what the volume has of it; sino_insert_store sets it */
    SinoVolume *volume;   /* NULL: only the picture is written */
    SinoJournal *journal; /* gets an entry once the images are written; NULL: none */
    int64_t first_slice, slice_count;
    int64_t iteration_count; /* 0: a direct method */
    int64_t numbers;         /* of a slice's history (SinoHistory) */
    double *history;         /* the run's [slices][numbers] */
    int64_t *repaired;       /* the run's [slices]; NULL: not told */
    bool tallied;            /* the tally goes to the run's arrays and to the journal; false: another entry has it */
    SinoTally tally;
    SinoSections sections; /* get the minibatch's part */
} SinoStore;
SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *store, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired, SinoData *tally);
