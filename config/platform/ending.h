/* SPDX-License-Identifier: BSD-3-Clause */
/* Ending: the end of the program at once, from any thread and whatever the other threads do: on SIGINT, SIGTERM or
 * SIGHUP, or when tasks stall. Nothing is unwound; instead the owners of unfinished files have left a last act each.
 *
 * Signals belong to the process, so this is the one part of the program with state of its own. */
#pragma once

#include "log.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What an owner wants done at the end: temporary files removed, and a clause printed, without punctuation, that says
 * what is on disk ("out.h5 was not written"), or nothing. `act` runs in another thread than the owner's, so it reads
 * only what does not change, or changes atomically. */
typedef struct SinoLastAct {
    void (*act)(void *of, FILE *clause);
    void *of;
    bool late; /* runs after the words, of which it has none, since other threads may fail and complain because of it */
    struct SinoLastAct *next, *previous; /* NULL before sino_ending_add */
} SinoLastAct;

/* Adds or removes an act, which is not owned. After _remove has returned, the act does not run. */
void sino_ending_add(SinoLastAct *last);
void sino_ending_remove(SinoLastAct *last); /* an act that was not added, or was removed before, is fine */

/* Makes something that must not be left behind, and adds its act, if `make` succeeds: the end comes before or after
 * both. `make`, called with last->of, is short, and calls nothing of this file. */
SinoStatus sino_ending_add_made(SinoLastAct *last, SinoStatus (*make)(void *of));

/* From now on these signals end the program by sino_ending_now with exit code 128 + signal; a second one ends it at
 * once. Ignored signals (nohup) stay ignored. Called by main before there are other threads: they inherit that the
 * signals are blocked. */
void sino_ending_watch_signals(void);

/* The log of the last words; NULL: stderr. Not owned. */
void sino_ending_set_log(SinoLog *log);

/* For several ranks: `end` ends all of them with the exit code. Rank 0 alone speaks on a signal; another rank first
 * leaves it some time, because a launcher passes a signal on to all ranks. */
void sino_ending_set_ranks(bool speaks, void (*end)(void *of, int exit_code), void *of);

/* The program has said all it has to say: from now on a signal ends it silently with this exit code. A launcher signals
 * every process as soon as one has ended with an error. */
void sino_ending_finish(int exit_code);

/* Whether the end has begun. A signal handler may call it. */
bool sino_ending_has_begun(void);

/* Runs the last acts, those added last first; prints the reason and their clauses as one line; ends the program. Of
 * several calls the first one counts, the others never return either. */
void sino_ending_now(const char *reason, int exit_code) __attribute__((noreturn));

/* Last words: what the program says when a library or the system ends it, which then happens with exit code 1.
 *
 * StarPU, HWLOC and MPI call abort() when an allocation of theirs fails, and for other reasons. A file that is cut
 * while it is mapped makes the system send SIGBUS to whoever reads it. Neither can be undone. The program then says
 * what happened, and ends at once. */

/* For main, once. */
void sino_last_words_install(void);

/* Names the file that is mapped at `memory`, for the message. At most 64 files have a name at a time; others are "a
 * mapped file". `path` is not owned, and must live until sino_last_words_unmapped. */
void sino_last_words_mapped(const void *memory, int64_t bytes, const char *path);
void sino_last_words_unmapped(const void *memory);
