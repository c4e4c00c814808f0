/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT stream: where launches and transforms on the host's version of a GPU go (simt_host.h). Tests of kernels run them
 * at once (immediate_host.cpp); the program runs them later, as a GPU does (cuda_runtime_host.cpp). */
#pragma once

#include <stddef.h>

#include <functional>

extern "C" {
#include "cuda_stream.h"
}

/* What a device has: multiprocessors, and shared memory of a block at most. */
enum { SIMT_MULTIPROCESSORS = 4, SIMT_SHARED_BYTES = 227 << 10 };

/* Work gives NULL or what went wrong. Returned is the same, where work is done at once; else NULL, and a fault ends the
 * program when it happens. */
typedef std::function<const char *()> SimtWork;
const char *simt_submit(cudaStream_t stream, SimtWork work);

/* Whether the address is in the memory of a device. */
bool simt_is_device(const void *memory);

/* Looks through the bytes of a kernel's argument for an address of the host's memory, where a GPU would not reach it;
 * NULL: there is none. */
const void *simt_host_address(const void *argument, size_t bytes);
