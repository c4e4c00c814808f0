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

/* Program: runs a program, most often this one, in a child process, and waits for it. */

/* How a program ended. */
typedef struct SinoProgramEnd {
    int exit_code;     /* 128 + signal if a signal ended it, as shells say */
    double elapsed_s;  /* from its start to its end */
    char message[400]; /* the last line that it wrote to stderr, without "sinodag: "; "": none */
} SinoProgramEnd;

/* Runs `argument` (the program's name as argument[0], NULL after the last) from the file at `path`, "/proc/self/exe"
 * for this program, and waits for its end. Its stdin and stdout are /dev/null, its stderr is the file at `log_path`,
 * which is replaced. The child ends with this process: when a signal ends this process, it asks the child to end
 * (SIGTERM), and waits five seconds before it kills the child. One child at a time. SINO_FAILED: the system gives no
 * process, or the file cannot be made. That the program fails is no error of this function. A program that runs longer
 * than limit_s is killed; 0: it may run for ever. */
SinoStatus sino_program_run(const char *path, char *const *argument, const char *log_path, double limit_s,
                            SinoProgramEnd *end);
