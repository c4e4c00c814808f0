/* SPDX-License-Identifier: BSD-3-Clause */
/* Message: in a build without MPI, which has no other process. */
#include "message.h"

SinoStatus sino_send(SinoRuntime *runtime, const SinoMessage *message, SinoData *data)
{
    (void)runtime, (void)message, (void)data;
    return sino_error(SINO_FAILED, "a message to another process, but there is none");
}

SinoStatus sino_receive(SinoRuntime *runtime, const SinoMessage *message, SinoData *data)
{
    return sino_send(runtime, message, data);
}
