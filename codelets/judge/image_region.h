/* SPDX-License-Identifier: BSD-3-Clause */
/* Image region: a rectangle of a slice, or the part of it within a circle. Every row of it is one run of columns. */
#pragma once

#include "arithmetic.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Columns x and rows y are numbers of voxels from 0 on; `end` is the one after the last. A voxel is within the circle
 * if its middle is not further away than the radius. */
typedef struct SinoImageRegion {
    int64_t first_column, end_column, first_row, end_row;
    bool circle;
    double x, y, radius; /* of the circle, in voxels; (0, 0) is the middle of the voxel in column 0 and row 0 */
} SinoImageRegion;

/* The columns [*first, *end) of a row; equal: there are none. */
static inline void sino_image_region_span(const SinoImageRegion *region, int64_t row, int64_t *first, int64_t *end)
{
    *first = *end = region->first_column;
    if (row < region->first_row || row >= region->end_row) return;
    if (!region->circle) {
        *end = region->end_column;
        return;
    }
    const double away = (double)row - region->y, square = region->radius * region->radius - away * away;
    if (square < 0) return;
    const double reach = sqrt(square);
    const int64_t from = (int64_t)ceil(region->x - reach), to = (int64_t)floor(region->x + reach) + 1;
    *first = sino_larger(region->first_column, from);
    *end = sino_larger(*first, sino_smaller(region->end_column, to));
}
