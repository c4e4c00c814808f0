/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: the host stands for it (simt_host.h). Kernels have run when their launcher returns. */
#include "device.h"

#include <stdlib.h>

void *device_memory(size_t bytes)
{
    void *memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (!memory) abort();
    return memory;
}

void device_free(void *memory)
{
    free(memory);
}

SinoStatus device_wait(void)
{
    return NULL;
}

void device_needed(void)
{
}
