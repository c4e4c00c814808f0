/* SPDX-License-Identifier: BSD-3-Clause */
/* Program: runs a program, most often this one, in a child process, and waits for it. */
#pragma once

#include "status.h"

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
