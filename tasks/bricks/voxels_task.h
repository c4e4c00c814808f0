/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of vectors of voxels in the order of bricks (brick_voxels.h): sums, masks, segments and images. */
#pragma once

#include "brick_voxels.h"
#include "runtime.h"

/* voxels_add: to += from, vectors of voxels. voxels_mask: to = from · mask; mask NULL: to = from. */
SinoStatus sino_insert_voxels_add(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *from, SinoData *to);
SinoStatus sino_insert_voxels_mask(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *mask, SinoData *from, SinoData *to);

/* Some elements of a vector. */
typedef struct SinoSegment {
    int64_t first, count;
} SinoSegment;

/* voxels_cut: part[count] = the segment of the vector. voxels_paste: the other way. */
SinoStatus sino_insert_voxels_cut(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *vector,
                                  SinoData *part);
SinoStatus sino_insert_voxels_paste(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *part,
                                    SinoData *vector);

/* The image of some voxels of a set (sino_voxels_image). The order is not owned, and outlives the task. */
typedef struct SinoVoxelsImage {
    const SinoBrickOrder *order;
    SinoSlices slices;
    int64_t set, first, count;
    double scale;
} SinoVoxelsImage;

/* voxels_image: writes image[count]. */
SinoStatus sino_insert_voxels_image(SinoRuntime *runtime, SinoPosition position, const SinoVoxelsImage *what,
                                    SinoData *voxels, SinoData *image);
