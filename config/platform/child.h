/* SPDX-License-Identifier: BSD-3-Clause */
/* Child: tries work on untrusted files in a process of its own. A library that crashes, loops or takes all memory on a
 * malformed file then ends that process only. */
#pragma once

#include "status.h"

#include <stdint.h>

typedef struct SinoChildLimits {
    int64_t cpu_s;        /* seconds of computing, or of each step; waiting for a slow file system does not count */
    int64_t memory_bytes; /* beyond what this process has */
} SinoChildLimits;

/* Runs work(context) in a child process, and returns its status; what the work allocates, opens and prints is lost.
 * Call it before StarPU starts: the child continues from a copy of the calling thread alone, so a lock that another
 * thread holds would stay locked there. The threads that MPI may have by then are the child's only risk; the work must
 * not call MPI. `what` names the work in errors, such as "reading the headers of scan.h5". SINO_BAD_INPUT: the work
 * says so, crashes, or exceeds a limit. SINO_FAILED: the work says so, or the system gives no process. */
SinoStatus sino_child_try(const char *what, const SinoChildLimits *limits, SinoStatus (*work)(const void *context),
                          const void *context);

/* The same for work that reads the headers of the file at `path`, with the memory that headers may take. */
SinoStatus sino_child_try_headers(const char *path, int64_t cpu_s, SinoStatus (*work)(const void *context),
                                  const void *context);

/* Begins a step of the work, such as one of many files: its seconds of computing count anew. Outside of a child it does
 * nothing. */
void sino_child_step(void);
