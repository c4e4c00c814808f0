/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding, batch: how many slices, projections, columns and rows a GPU transforms at a time, and the rays of terms
 * that it sums (gridding_cuda.h). */
#pragma once

#include "geometry.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a transform, of projections, columns or rows, which caches of GPUs hold; tests have others. Slices of a
 * batch, at most. */
enum { SINO_GRIDDING_BATCH_BYTES = 16 << 20, SINO_GRIDDING_LANES = 4 };

/* It depends on the geometry alone, so that the rounding of a slice does not depend on the others. A projection has
 * D + 2 real numbers, a row of the grid G + 2, a column of it G complex ones. */
typedef struct SinoGriddingBatch {
    int64_t size, points, detector;       /* N, G, D */
    int64_t angle_count, column_count;    /* K, M */
    int64_t slices;                       /* of a batch: SINO_GRIDDING_LANES, or 1 */
    int64_t projections, all_projections; /* of a transform; of a batch, in whole transforms */
    int64_t columns;                      /* of a transform: of all slices of a batch */
    int64_t rows, all_rows;               /* as projections */
    int64_t middle;                       /* points from the origin whose sums have several threads */
} SinoGriddingBatch;

SinoGriddingBatch sino_gridding_batch(const SinoGeometry *geometry, int64_t batch_bytes);

/* Bytes of the scratch memory of a call; of the device's memory that a SinoGriddingCuda has, about. */
int64_t sino_gridding_cuda_scratch_bytes(const SinoGriddingBatch *batch);
int64_t sino_gridding_cuda_bytes(const SinoGriddingBatch *batch);

/* Where the rows of the grid, and its columns, begin in the scratch memory; projections are first. */
int64_t sino_gridding_rows_offset(const SinoGriddingBatch *batch);
int64_t sino_gridding_columns_offset(const SinoGriddingBatch *batch);

/* The ray of an angle's terms in the grid: term m has the column m·across ≥ 0 and the row m·along. The term is the
 * frequency m of the projection times 1/D, twice that for m > 0, times the transform of a voxel,
 * sinc(m·footprint[0])·sinc(m·footprint[1]), times exp(2πi·m·shift); conjugate, if the ray is turned. */
typedef struct SinoGriddingRay {
    double across, along, shift; /* shift: turns */
    float footprint[2];
    float direction; /* atan2(along, across) */
    int32_t angle;
    bool turned;
} SinoGriddingRay;

/* The rays of all angles, ray[K], by direction. */
void sino_gridding_rays(const SinoGeometry *geometry, SinoGriddingRay *ray);
