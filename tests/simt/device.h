/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: where the tests of CUDA kernels put their data, so that the same test runs on the host's version of a GPU and
 * on a GPU: memory that both sides reach. */
#ifndef SINO_TESTS_DEVICE_H
#define SINO_TESTS_DEVICE_H

#include "cuda_stream.h"
#include "status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed; of 0 bytes, too. Aborts when there is none. */
void *device_memory(size_t bytes);
void device_free(void *memory); /* takes NULL */

/* Until the kernels that were launched are done; whether one of them failed. */
SinoStatus device_wait(void);

/* Ends the program with meson's word for "skipped" when there is no GPU to run on. */
void device_needed(void);

/* Success of a launch and of what it launched, or the program ends. */
static inline void device_check(SinoStatus status)
{
    if (!status) status = device_wait();
    if (!status) return;
    fprintf(stderr, "%s\n", sino_status_text(status));
    abort();
}

/* A copy on the device of what is only read there; released, after a look that it was. NULL stays NULL. */
static inline void *device_lend(const void *from, size_t bytes)
{
    return from ? memcpy(device_memory(bytes), from, bytes) : NULL;
}

static inline void device_unlend(const void *from, void *memory, size_t bytes)
{
    if (memory && memcmp(from, memory, bytes) != 0) {
        fprintf(stderr, "a kernel has written to what it should only read\n");
        abort();
    }
    device_free(memory);
}

/* Back to where device_lend had it from; released. */
static inline void device_return(void *to, void *memory, size_t bytes)
{
    if (memory) memcpy(to, memory, bytes);
    device_free(memory);
}

#endif
