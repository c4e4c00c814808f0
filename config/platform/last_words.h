/* SPDX-License-Identifier: BSD-3-Clause */
/* Last words: what the program says when a library or the system ends it, which then happens with exit code 1.
 *
 * StarPU, HWLOC and MPI call abort() when an allocation of theirs fails, and for other reasons. A file that is cut
 * while it is mapped makes the system send SIGBUS to whoever reads it. Neither can be undone. The program then says
 * what happened, and ends at once. */
#pragma once

#include <stdint.h>

/* For main, once. */
void sino_last_words_install(void);

/* Names the file that is mapped at `memory`, for the message. At most 64 files have a name at a time; others are "a
 * mapped file". `path` is not owned, and must live until sino_last_words_unmapped. */
void sino_last_words_mapped(const void *memory, int64_t bytes, const char *path);
void sino_last_words_unmapped(const void *memory);
