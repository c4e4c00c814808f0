/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometry: the parallel-beam scan of one slice and its voxel grid (docs/CONVENTIONS.md).
 *
 * A ray obeys s = x·cosθ + y·sinθ with x to the right along columns and y upwards (row index decreasing). The grid has
 * N×N unit voxels and is centered on the rotation axis: voxel (row i, column j) has its center at
 * x = j − (N−1)/2, y = (N−1)/2 − i. Column c of the detector sees s = c − center. */
#pragma once

#include "arithmetic.h"

#include <stdint.h>

typedef struct SinoGeometry {
    int64_t angle_count;     /* K ≥ 1 */
    int64_t column_count;    /* M ≥ 1: detector columns, after crop and binning */
    int64_t grid_size;       /* N ≥ 1: voxels along one side of the grid that is computed */
    const double *angle_rad; /* K angles; not owned */
    double center;           /* rotation center as a column index: 0 is the centre of column 0 */
    int64_t margin;          /* voxels of the grid beyond each side of the slice that is written; 2·margin < N */
} SinoGeometry;

/* Ray (angle k, column c) has index k·M + c. */
static inline int64_t sino_geometry_ray_count(const SinoGeometry *geometry)
{
    return sino_times(geometry->angle_count, geometry->column_count);
}

/* Voxels along one side of a slice as it is written: the middle of the grid. */
static inline int64_t sino_geometry_slice_side(const SinoGeometry *geometry)
{
    return geometry->grid_size - 2 * geometry->margin;
}
