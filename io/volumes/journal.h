/* SPDX-License-Identifier: BSD-3-Clause */
/* Journal: which slices of an unfinished run are complete, so that a later run can go on from them.
 *
 * The file begins with the identity of the run, a text. An entry follows for each group of slices that has been stored.
 * The identity and each entry have a checksum, so an entry that a killed run left unfinished ends the journal. Whether
 * the slices themselves are on the disk is told by the checksum of their voxels, which an entry contains: no order of
 * writing is needed. A journal is read by machines with the same byte order only. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoJournal SinoJournal;

typedef struct SinoJournalEntry {
    int64_t first_slice, slice_count;
    int64_t columns;   /* numbers of the history of a slice */
    int64_t keeper;    /* 1: this rank stored the slices; 0: another rank of the slices' group did */
    uint64_t checksum; /* sino_journal_checksum of the slices; 0 unless keeper */
    double *residuals; /* [slice_count][columns]: the history */
    int64_t *repaired; /* [slice_count] */
    int64_t *clipped;  /* [SINO_CLIPPED][slice_count], of numbers.h; NULL when written: none */
    int64_t tally_count;
    int64_t *tally; /* [tally_count]: undefined values of the slices by angle and column */
} SinoJournalEntry;

/* XXH3-64 of `count` voxels. */
uint64_t sino_journal_checksum(int64_t count, const float *voxels);

/* Creates or empties the journal at `path`; the caller closes or removes it. SINO_BAD_INPUT: another run has it open,
 * or the path is no regular file with this one name. SINO_FAILED: it cannot be written. */
SinoStatus sino_journal_create(const char *path, const char *identity, SinoJournal **journal);

/* Opens a journal to read its entries and to append more; what follows the last whole entry is cut off. *journal is
 * NULL if there is no file, or none with a whole identity. Errors as of sino_journal_create. */
SinoStatus sino_journal_open(const char *path, SinoJournal **journal);

const char *sino_journal_identity(const SinoJournal *journal);
int64_t sino_journal_count(const SinoJournal *journal); /* of the entries that were read */
const SinoJournalEntry *sino_journal_entry(const SinoJournal *journal, int64_t index);

/* Appends an entry in one write. A failed write is recorded, not returned, because the run can go on without; later
 * calls then do nothing. */
void sino_journal_append(SinoJournal *journal, const SinoJournalEntry *entry);

/* The recorded failure as SINO_FAILED; NULL: none. */
SinoStatus sino_journal_status(const SinoJournal *journal);

void sino_journal_close(SinoJournal *journal);        /* the file stays; takes NULL */
void sino_journal_unlink(const SinoJournal *journal); /* removes the file */
void sino_journal_remove(SinoJournal *journal);       /* removes the file and closes; takes NULL */
