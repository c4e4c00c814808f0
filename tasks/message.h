/* SPDX-License-Identifier: BSD-3-Clause */
/* Message: data from one process to another, as part of the task graph: sent once the tasks that were submitted before
 * have written it, received before those submitted afterwards read it. Neither waits. */
#ifndef SINO_MESSAGE_H
#define SINO_MESSAGE_H

#include "runtime.h"

/* Between two processes a tag has one message in flight at a time: data of its own on both sides. */
typedef struct SinoMessage {
    const char *name; /* for graphs and messages; constant */
    SinoPosition position;
    int64_t process; /* the other one */
    int64_t tag;     /* ≥ 0 */
} SinoMessage;

/* SINO_FAILED: more than 2 GiB, which MPI cannot count; StarPU refuses. */
SinoStatus sino_send(SinoRuntime *runtime, const SinoMessage *message, SinoData *data);
SinoStatus sino_receive(SinoRuntime *runtime, const SinoMessage *message, SinoData *data);

#endif
