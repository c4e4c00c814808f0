/* SPDX-License-Identifier: BSD-3-Clause */
/* Device: where the tests of CUDA kernels put their data, so that the same test runs on the host's version of a GPU and
 * on a GPU: memory that both sides reach. */
#ifndef SINO_TESTS_DEVICE_H
#define SINO_TESTS_DEVICE_H

#include "cuda_stream.h"
#include "status.h"

#include <stddef.h>

/* Zeroed; of 0 bytes, too. Aborts when there is none. */
void *device_memory(size_t bytes);
void device_free(void *memory); /* takes NULL */

/* Until the kernels that were launched are done; whether one of them failed. */
SinoStatus device_wait(void);

/* Ends the program with meson's word for "skipped" when there is no GPU to run on. */
void device_needed(void);

#endif
