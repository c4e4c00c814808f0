/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding, batch: sizes of what a GPU transforms at a time, and rays by direction. */
#include "gridding_batch.h"

#include "gridding.h"
#include "polar_grid.h"
#include "transform_batch.h"

#include <math.h>
#include <stdlib.h>

enum { LANES_BYTES = 512 << 20, MIDDLE = 64 };

/* Rows of a transform, of `count` rows of so many bytes, where a cache holds batch_bytes. */
static int64_t rows_of(int64_t count, int64_t bytes, int64_t batch_bytes)
{
    return sino_transform_rows_of(count, sino_larger(batch_bytes / bytes, 1));
}

static int64_t slice_bytes(const SinoGriddingBatch *batch)
{
    return sino_times(batch->angle_count, sino_transform_row_bytes(batch->detector)) +
           sino_times(batch->size, sino_transform_row_bytes(batch->points));
}

SinoGriddingBatch sino_gridding_batch(const SinoGeometry *geometry, int64_t batch_bytes)
{
    SinoGriddingBatch batch = {.size = geometry->grid_size,
                               .points = sino_polar_grid_points(geometry->grid_size),
                               .detector = sino_gridding_detector(geometry),
                               .angle_count = geometry->angle_count,
                               .column_count = geometry->column_count,
                               .middle = MIDDLE};
    batch.slices = SINO_GRIDDING_LANES * slice_bytes(&batch) <= LANES_BYTES ? SINO_GRIDDING_LANES : 1;
    const int64_t projections = sino_times(batch.slices, batch.angle_count), rows = batch.slices * batch.size;
    const int64_t columns = batch.points / 2 + 1;
    batch.projections = rows_of(projections, sino_transform_row_bytes(batch.detector), batch_bytes);
    batch.all_projections = sino_ceil_multiple(projections, batch.projections);
    batch.columns =
        batch.slices * rows_of(columns, batch.slices * 2 * sino_transform_row_bytes(batch.points), batch_bytes);
    batch.rows = rows_of(rows, sino_transform_row_bytes(batch.points), batch_bytes);
    batch.all_rows = sino_ceil_multiple(rows, batch.rows);
    return batch;
}

int64_t sino_gridding_rows_offset(const SinoGriddingBatch *batch)
{
    return sino_ceil_multiple(sino_times(batch->all_projections, sino_transform_row_bytes(batch->detector)),
                              SINO_TRANSFORM_ALIGNMENT);
}

int64_t sino_gridding_columns_offset(const SinoGriddingBatch *batch)
{
    return sino_gridding_rows_offset(batch) +
           sino_ceil_multiple(sino_times(batch->all_rows, sino_transform_row_bytes(batch->points)),
                              SINO_TRANSFORM_ALIGNMENT);
}

int64_t sino_gridding_cuda_scratch_bytes(const SinoGriddingBatch *batch)
{
    return sino_gridding_columns_offset(batch) +
           sino_ceil_multiple(sino_times(batch->columns, 2 * sino_transform_row_bytes(batch->points)),
                              SINO_TRANSFORM_ALIGNMENT);
}

/* cuFFT's work areas have at most the size of what it transforms, for lengths without large prime factors. */
int64_t sino_gridding_cuda_bytes(const SinoGriddingBatch *batch)
{
    return sino_times(batch->projections, sino_transform_row_bytes(batch->detector)) +
           sino_times(batch->rows + 2 * batch->columns, sino_transform_row_bytes(batch->points)) +
           sino_times(batch->angle_count, (int64_t)sizeof(SinoGriddingRay));
}

static int by_direction(const void *a, const void *b)
{
    const SinoGriddingRay *one = a, *other = b;
    if (one->direction != other->direction) return one->direction < other->direction ? -1 : 1;
    return (one->angle > other->angle) - (one->angle < other->angle);
}

/* Of an even grid, voxels lie half a voxel beside the pixels of the grid of frequencies. */
void sino_gridding_rays(const SinoGeometry *geometry, SinoGriddingRay *ray)
{
    const double detector = (double)sino_gridding_detector(geometry);
    const double points = (double)sino_polar_grid_points(geometry->grid_size) / detector;
    const double beside = geometry->grid_size % 2 == 0 ? 0.5 : 0;
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        const double cosine = cos(geometry->angle_rad[k]), sine = sin(geometry->angle_rad[k]);
        const bool turned = cosine < 0;
        ray[k] = (SinoGriddingRay){.across = fabs(cosine) * points,
                                   .along = (turned ? sine : -sine) * points,
                                   .shift = (geometry->center + beside * (cosine - sine)) / detector,
                                   .footprint = {(float)(M_PI * cosine / detector), (float)(M_PI * sine / detector)},
                                   .angle = (int32_t)k,
                                   .turned = turned};
        ray[k].direction = (float)atan2(ray[k].along, ray[k].across);
    }
    qsort(ray, (size_t)geometry->angle_count, sizeof *ray, by_direction);
}
