/* SPDX-License-Identifier: BSD-3-Clause */
/* Stall: notices that no task ends any more, says what waits for what, and ends the program with exit code 1. */
#pragma once

#include "runtime_private.h"

/* Called for every task: when it was submitted, when a worker begins with it, and when it has ended. */
void sino_stall_submitted(SinoCodelet *codelet);
void sino_stall_begins(SinoRuntime *runtime, const SinoTaskKind *kind);
void sino_stall_ended(SinoRuntime *runtime, SinoCodelet *codelet);

/* Counts a message that a process will send; `name` is constant. NULL: no memory, it is not counted. When the message
 * has arrived, sino_stall_arrived takes the result. Only the submitting thread calls _expects. */
SinoReceives *sino_stall_expects(SinoRuntime *runtime, const char *name, int64_t process);
void sino_stall_arrived(void *receives);
void sino_stall_free_receives(SinoRuntime *runtime);

/* Starts the watch; limit_s 0: none, *stall stays. SINO_FAILED: no thread or memory. */
SinoStatus sino_stall_watch(SinoRuntime *runtime, double limit_s, SinoStall **stall);
void sino_stall_stop(SinoStall *stall); /* takes NULL */
