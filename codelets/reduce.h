/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums of partial projections over footprints, and its mirror image, spread.
 *
 * A footprint is the ascending list of the rays that a partition touches; a partial has one row per listed ray, a total
 * one row per ray of the sinogram, total_ray_count. Both lie in panels (panel.h). */
#ifndef SINO_REDUCE_H
#define SINO_REDUCE_H

#include "panel.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoFootprint {
    int64_t ray_count;
    const uint32_t *ray; /* not owned; NULL: every ray, in order */
} SinoFootprint;

/* total[ray[i]] += partial[i]; `first` clears the total before. */
void sino_reduce_add(SinoSlices slices, const SinoFootprint *footprint, const void *partial, bool first,
                     int64_t total_ray_count, void *total);

/* partial[i] = total[ray[i]]. */
void sino_spread_take(SinoSlices slices, const SinoFootprint *footprint, int64_t total_ray_count, const void *total,
                      void *partial);

#endif
