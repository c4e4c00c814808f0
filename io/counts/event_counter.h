/* SPDX-License-Identifier: BSD-3-Clause */
/* Event counter: counts the events of each row of a system matrix. */
#pragma once

#include "counts_file.h"

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
