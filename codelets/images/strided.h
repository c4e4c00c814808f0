/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided: copies between vectors in panels and arrays of a caller, whose elements lie at steps of the caller's choice.
 */
#pragma once

#include "arithmetic.h"
#include "reduce.h"
#include "trace.h"

#include <stdbool.h>

typedef enum SinoStridedType { SINO_STRIDED_FLOAT32, SINO_STRIDED_FLOAT64 } SinoStridedType;

/* An array of three dimensions: (slice, image row, image column) of images, (slice, angle, column) of projections.
 * Element (i, j, k) is `first` + i·step[0] + j·step[1] + k·step[2]. */
typedef struct SinoStrided {
    SinoStridedType type;
    void *first;     /* aligned to its type; not owned */
    int64_t step[3]; /* elements; may be negative */
} SinoStrided;

/* Some tiles of the images of `slices`. */
typedef struct SinoStridedTiles {
    SinoSlices slices; /* array slice f is slice f of the vector */
    SinoStrided image;
    int64_t grid_size, tile_count;
    const SinoTilePlace *tile; /* not owned */
    bool cached;               /* the vector stays in the caches, and the array does not; false: neither does, */
                               /* if the vector is longer than they are */
} SinoStridedTiles;

/* The projections of `slices`, or whatever else lies in lines: ray (k, c) is row first_row + place[k]·M + c of the
 * vector. Only the angles first_angle … last_angle − 1 are copied.
 *
 * With `line` in place of `place` row k·M + c of the vector is ray ((line[k] − line_first)/line_step, c) of the array,
 * and 0 where line[k] is −1: k is a line of the vector. */
typedef struct SinoStridedRays {
    SinoSlices slices;
    SinoStrided projections;
    int64_t angle_count, column_count; /* K, M */
    int64_t first_angle, last_angle;
    const int64_t *place; /* [K]; NULL: `line` has it; not owned */
    const int64_t *line;  /* [K]; not owned */
    int64_t line_first, line_step;
    int64_t first_row;
    int64_t vector_rows; /* of the vector; 0: K·M */
} SinoStridedRays;

/* Vectors whose sum is the vector of all rays; nothing is owned. */
typedef struct SinoPartials {
    int64_t count;
    const SinoRowMap *map; /* [count]: whole, to the rows of the vector */
    const void *const *vector;
} SinoPartials;

/* Fill a vector in panels of the solver's type, padding with 0: x of tile_count·T² rows, where voxels outside the grid
 * become 0, and y, of which only the rows of these angles are touched. False: a value is NaN or infinite; the
 * vector is filled all the same. */
bool sino_strided_take_tiles(const SinoStridedTiles *tiles, void *x);
bool sino_strided_take_rays(const SinoStridedRays *rays, void *y);

/* Write the elements of the array that the vector has, and no others. */
void sino_strided_give_tiles(const SinoStridedTiles *tiles, const void *x);
void sino_strided_give_rays(const SinoStridedRays *rays, const void *y);

/* The same where y is the sum of partial vectors (sino_reduce_add_all), with its bits; it is not written. The rays have
 * places. `scratch`: sino_strided_sums_bytes. */
static inline int64_t sino_strided_sums_bytes(const SinoStridedRays *rays)
{
    return sino_times(sino_times(rays->column_count, rays->slices.stride),
                      (int64_t)sino_precision_bytes(rays->slices.precision));
}
void sino_strided_give_sums(const SinoStridedRays *rays, const SinoPartials *partials, void *scratch);
