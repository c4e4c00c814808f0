/* SPDX-License-Identifier: BSD-3-Clause */
/* Message: data from one process to another, as part of the task graph. StarPU-MPI sends a message when the tasks
 * submitted before have written the data; tasks submitted after the receive wait for it. The calls themselves do not
 * wait. */
#pragma once

#include "runtime.h"

/* At most one message of a tag may be in flight between two processes; each tag has data of its own on both sides. */
typedef struct SinoMessage {
    const char *name; /* for graphs and messages; constant */
    SinoPosition position;
    int64_t process; /* the other process */
    int64_t tag;     /* ≥ 0 */
} SinoMessage;

/* Both processes must call: one sends, the other receives, with equal tags. `data` is not owned. SINO_FAILED: more than
 * 2 GiB, which MPI cannot count, or StarPU refuses. */
SinoStatus sino_send(SinoRuntime *runtime, const SinoMessage *message, SinoData *data);
SinoStatus sino_receive(SinoRuntime *runtime, const SinoMessage *message, SinoData *data);
