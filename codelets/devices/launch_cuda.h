/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of CUDA kernels: calls of CUDA's runtime before a launch. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

/* Prepares a launch with so many bytes of dynamic shared memory on this thread's device: forgets the error of an
 * earlier call, which cudaGetLastError would take for the launch's, and lets the kernel have all the shared memory of a
 * block that it can, unless it may already have so much. Threads of one device may do so at the same time. */
cudaError_t sino_launch_prepare(const void *kernel, size_t shared_bytes);
