/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts source: what a format implements behind counts_file.h. A format is one file of io/ and one row of the table in
 * counts_file.c. */
#pragma once

#include "counts_file.h"

typedef struct SinoCountsFormat SinoCountsFormat;

struct SinoCountsFile {
    SinoCountsInfo info;
    SinoCountsRequest request; /* its path is the one below */
    char *path;                /* of the file; owned */
    char *inner;               /* what follows "FILE:"; owned; NULL: nothing */
    char stored_type[16];      /* where info.stored_type points, unless the format says otherwise */
    const SinoCountsFormat *format;
    void *content; /* owned by the format; NULL until opened */
};

struct SinoCountsFormat {
    const char *name; /* becomes SinoCountsInfo.kind */
    bool takes_inner; /* the name of a file may be followed by ":" and more */
    /* Whether the file has this format, by its first bytes. A recognised file may still be damaged. */
    bool (*probe)(const SinoCountsFile *file);
    /* Fills content, stored_type, info.set_count and info.events. On failure the caller closes the file. */
    SinoStatus (*open)(SinoCountsFile *file);
    SinoStatus (*read)(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values);
    void (*close)(void *content);
};

extern const SinoCountsFormat sino_counts_hdf5, sino_counts_npy, sino_counts_matlab, sino_counts_interfile,
    sino_counts_text, sino_counts_raw, sino_counts_records, sino_counts_safir;

/* Of SinoCountsRequest.memory, not of files: it has no probe. */
extern const SinoCountsFormat sino_counts_memory;

/* "rows" or "voxels". */
const char *sino_counts_elements(const SinoCountsRequest *request);

/* Decides what an array of `rank` sizes holds, as counts_file.h says: sets info.set_count and info.events.
 * SINO_BAD_INPUT: another shape, or events that are not integers. */
SinoStatus sino_counts_take_array(SinoCountsFile *file, int rank, const int64_t *size, bool integers);

/* Event counter: counts the events of each row of a system matrix. */

typedef struct SinoEventCounter {
    const SinoCountsRequest *request; /* not owned */
    const char *where;                /* what the number of an event is, in errors: "line", "event" */
    uint32_t *count;                  /* [element]; owned */
} SinoEventCounter;

SinoStatus sino_event_counter_new(const SinoCountsRequest *request, const char *where, SinoEventCounter *counter);
void sino_event_counter_free(SinoEventCounter *counter);

/* Counts an event of `members` numbers: 1, a row; 2, crystals. `number` tells the event, in errors. SINO_BAD_INPUT: a
 * row or a crystal that does not exist, one crystal twice, rows that are no pairs, more than 2³² − 1 events of a row.
 */
SinoStatus sino_event_counter_add(SinoEventCounter *counter, int64_t number, int members, const int64_t *member);

/* values[element] = the counts. */
void sino_event_counter_take(const SinoEventCounter *counter, float *values);
