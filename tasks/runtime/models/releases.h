/* SPDX-License-Identifier: BSD-3-Clause */
/* Releases: tasks that may begin from some moment on, as projections arrive, and how long after it they end. */
#pragma once

#include "bounds.h"

#include <stdbool.h>

enum { SINO_RELEASE_KINDS = 64 };

/* Tasks that are released together. Number k is the same kind of task in all releases. */
typedef struct SinoRelease {
    double at_s;                            /* when they may begin */
    double end_s;                           /* when the last one has ended; 0: none has */
    SinoKindTimes kind[SINO_RELEASE_KINDS]; /* count 0: none of this kind */
} SinoRelease;

/* Adds a task to a kind of a release; seconds[type] 0: it cannot run there. */
void sino_release_add(SinoRelease *release, int64_t kind, const double seconds[SINO_BOUND_TYPES]);

/* The least time in which the workers can end all tasks, if these wait for nothing but their release and can be
 * divided: the largest one, over all releases, of its time and the area bound of what is released from then on. Times
 * of releases grow; kinds from kind_count on are empty. */
double sino_release_bound(int64_t count, const SinoRelease *release, int64_t kind_count,
                          const int64_t workers[SINO_BOUND_TYPES]);

/* How long after releases their tasks, and all tasks of earlier ones, have ended. The last release, whose tasks also
 * end the run, does not count. */
typedef struct SinoLateness {
    int64_t count;         /* releases */
    double last_s;         /* the time of the last one */
    double mean_s, most_s; /* 0: none counts */
    double growth;         /* by how much it grows in a second, by a line through all; 0: fewer than two count */
    bool keeps_up;         /* it does not grow by more than the time between two releases */
} SinoLateness;

SinoLateness sino_release_lateness(int64_t count, const SinoRelease *release);
