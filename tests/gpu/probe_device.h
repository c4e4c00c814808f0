/* SPDX-License-Identifier: BSD-3-Clause */
/* Probe device: kernels by which the probe looks at what CUDA does beside them. */
#pragma once

#include "cuda_stream.h"
#include "status.h"

#include <stdint.h>

/* One thread that lasts so many ticks of the multiprocessor's clock. */
SinoStatus probe_device_wait(cudaStream_t stream, int64_t ticks);

/* *others += how many of the values are not `expected`. */
SinoStatus probe_device_count(cudaStream_t stream, const int32_t *values, int64_t count, int32_t expected, int *others);

/* *sum += value, atomically. */
SinoStatus probe_device_add(cudaStream_t stream, float value, float *sum);
