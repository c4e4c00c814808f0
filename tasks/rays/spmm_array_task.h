/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm_array: one partition's block of A times the array of a caller, in single or double, on cores. */
#pragma once

#include "spmm_array.h"
#include "spmm_task.h"
#include "strided_task.h"

/* The images of a product, in place of its voxel vectors. */
typedef struct SinoImages {
    SinoStrided array; /* from the product's first slice on */
    SinoTake take;     /* of projections */
    SinoData *copies;  /* scratch memory of each worker: sino_images_copies_bytes */
} SinoImages;
int64_t sino_images_copies_bytes(SinoSlices slices);

/* Operands beside those of SinoSpmm. */
typedef struct SinoSpmmArray {
    const SinoImages *images;
    SinoSlices slices;
    int64_t grid_size, tile_count;
    const SinoTilePlace *tile; /* of the partition; not owned */
} SinoSpmmArray;

/* Insert y = A·images and images = Aᵀ y; rows of `spmm` as there. Errors as of sino_insert_take_tiles. */
SinoStatus sino_insert_spmm_project_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                          const SinoSpmmArray *array, SinoData *y);
SinoStatus sino_insert_spmm_backproject_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                              SinoData *y, const SinoSpmmArray *array);
