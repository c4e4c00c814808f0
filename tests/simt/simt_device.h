/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: where the tests of CUDA kernels put their data, so that the same test runs on the host's version of a GPU and
 * on a GPU: memory that kernels alone reach. */
#pragma once

#include "cuda_stream.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_UNDEFINED = 0xff }; /* every byte of new memory: NaN, -1 */

/* Of 0 bytes, too. Aborts when there is none. */
void *device_memory(size_t bytes);
void device_free(void *memory); /* takes NULL */

/* Copies to the device's memory and from there; they wait for the kernels that were launched. */
void device_write(void *memory, const void *from, size_t bytes);
void device_read(void *to, const void *memory, size_t bytes);

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

/* A copy on the device; NULL stays NULL. */
static inline void *device_lend(const void *from, size_t bytes)
{
    void *memory = from ? device_memory(bytes) : NULL;
    if (from) device_write(memory, from, bytes);
    return memory;
}

/* What the device's memory holds; the caller frees it. */
static inline unsigned char *device_copy(const void *memory, size_t bytes)
{
    unsigned char *copy = (unsigned char *)malloc(bytes + 1);
    if (!copy) abort();
    device_read(copy, memory, bytes);
    return copy;
}

/* Releases what was only read there, after a look that it was. */
static inline void device_unlend(const void *from, void *memory, size_t bytes)
{
    if (!memory) return;
    unsigned char *copy = device_copy(memory, bytes);
    if (memcmp(from, copy, bytes) != 0) {
        fprintf(stderr, "a kernel has written to what it should only read\n");
        abort();
    }
    free(copy);
    device_free(memory);
}

/* Back to where device_lend had it from; released. */
static inline void device_return(void *to, void *memory, size_t bytes)
{
    if (memory) device_read(to, memory, bytes);
    device_free(memory);
}

/* Releases memory whose last `guard` bytes no kernel must have written. */
static inline void device_free_guarded(void *memory, size_t bytes, size_t guard)
{
    unsigned char *copy = device_copy((char *)memory + bytes, guard);
    for (size_t i = 0; i < guard; i++)
        if (copy[i] != DEVICE_UNDEFINED) {
            fprintf(stderr, "kernels have written behind %zu bytes of scratch memory\n", bytes);
            abort();
        }
    free(copy);
    device_free(memory);
}
