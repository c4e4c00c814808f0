/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rotate_project and rotate_back: products of a parallel beam's A and Aᵀ with a partition, without a matrix. */
#pragma once

#include "rotate.h"
#include "runtime.h"

#include <stdbool.h>

/* Of a product's angles, and of a partition's tiles. NULL, all of them: cores compute. Nothing is owned. */
typedef struct SinoRotateData {
    SinoData *turn, *number, *tile;
} SinoRotateData;

/* Bytes of the tables of the geometry's angles and of tile_count tiles. */
typedef struct SinoRotateDataBytes {
    int64_t turn, number, tile;
} SinoRotateDataBytes;
SinoRotateDataBytes sino_rotate_data_bytes(const SinoGeometry *geometry, int64_t tile_count);

/* Make tables, which the caller frees with sino_data_free. *tile becomes NULL if there are no tiles. */
SinoStatus sino_rotate_data_angles(SinoRuntime *runtime, const SinoGeometry *geometry, SinoData **turn);
SinoStatus sino_rotate_data_tiles(SinoRuntime *runtime, const SinoRotate *what, SinoData **number, SinoData **tile);

/* What a core takes to turn samples for `slices` slices, in flops of a product with lengths of rays
 * (docs/lab/projectors.md). A slice has a sample for each voxel and angle. */
double sino_rotate_effort(SinoInterpolation interpolation, double samples, int64_t slices);

/* Inserts rotate_project between rays_begin and rays_end (rays_gate_task.h), on cores: adds what->tile's part of A x to
 * the rays of what's angles in `rays`, which has all rays of what->geometry. `first` of the partitions: these rays
 * become 0 before. `order`: void data that all tasks of these angles write. The arrays of `what` outlive the task. */
SinoStatus sino_insert_rotate_project(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, bool first,
                                      SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays);

/* The same for all angles of `rays` by one task, on a core or a device. */
SinoStatus sino_insert_rotate_project_all(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                          bool first, const SinoRotateData *tables, SinoData *voxels, SinoData *scratch,
                                          SinoData *rays);

/* Inserts rotate_back, which writes Aᵀ y of what's angles to the partition. */
SinoStatus sino_insert_rotate_back(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                   const SinoRotateData *tables, SinoData *rays, SinoData *scratch, SinoData *voxels);
