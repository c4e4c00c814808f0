/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce and spread on a GPU: the functions of reduce.h, bit for bit, with map->row, partials and totals in device
 * memory, aligned to 16 bytes. cuda_stream.h gives the contract of launchers. */
#pragma once

#include "cuda_stream.h"
#include "reduce.h"
#include "status.h"

SinoStatus sino_reduce_add_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *partial,
                                bool first, void *total);

SinoStatus sino_spread_take_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *total,
                                 void *partial);
