/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: adds partial projections over footprints; spread is the transposed operation.
 *
 * A footprint is the ascending list of the rays that one or several partitions touch; a partial has one row per listed
 * ray. Partials are added into a total, which belongs to a larger footprint or to consecutive rays. Vectors lie in
 * panels (panel.h). */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoFootprint {
    int64_t ray_count;
    const uint32_t *ray; /* not owned; NULL: every ray, in order */
} SinoFootprint;

/* Maps rows first … first + count − 1 of a partial to rows of a total: row[first + i] − base. */
typedef struct SinoRowMap {
    int64_t partial_rows, total_rows; /* of the whole vectors */
    int64_t first, count;
    const uint32_t *row; /* [partial_rows], ascending; not owned */
    int64_t base;
} SinoRowMap;

/* total[row[i] − base] += partial[i]; with `first` the total is cleared before. */
void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total);

/* Rows first_row … first_row + row_count − 1 of the total: the sum of the rows of `count` partials, whose maps are
 * whole and of the same total. Each row is added up in the order of the partials, so that the result has the bits of
 * sino_reduce_add called for one after another, the first of which clears the total. */
void sino_reduce_add_all(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                         int64_t first_row, int64_t row_count, void *total);

/* The same rows of the total, by themselves: alone[row_count]. */
void sino_reduce_add_rows(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                          int64_t first_row, int64_t row_count, void *alone);

/* partial[i] = total[row[i] − base]. */
void sino_spread_take(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial);

/* The same on a GPU, bit for bit, with map->row, partials and totals in device memory, aligned to 16 bytes.
 * cuda_stream.h gives the contract of launchers. */
SinoStatus sino_reduce_add_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *partial,
                                bool first, void *total);
SinoStatus sino_spread_take_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *total,
                                 void *partial);
