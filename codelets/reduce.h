/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums of partial projections over footprints, and its mirror image, spread.
 *
 * A footprint is the ascending list of the rays that a partition, or several, touch; a partial has one row per listed
 * ray. Partials are added into a total, of a larger footprint or of rays that follow each other. Vectors lie in panels
 * (panel.h). */
#ifndef SINO_REDUCE_H
#define SINO_REDUCE_H

#include "panel.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoFootprint {
    int64_t ray_count;
    const uint32_t *ray; /* not owned; NULL: every ray, in order */
} SinoFootprint;

/* Rows first … first + count − 1 of a partial, and which rows of a total they are: row[first + i] − base. */
typedef struct SinoRowMap {
    int64_t partial_rows, total_rows; /* of the whole vectors */
    int64_t first, count;
    const uint32_t *row; /* per row of the partial, ascending; not owned */
    int64_t base;
} SinoRowMap;

/* total[row[i] − base] += partial[i]; `first` clears the total before. */
void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total);

/* partial[i] = total[row[i] − base]. */
void sino_spread_take(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial);

#endif
