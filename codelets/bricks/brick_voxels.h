/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels: values from files enter the vectors of a system matrix, partial voxel vectors are added up, and voxels
 * become images. Vectors lie in panels (panel.h) of F count sets; voxels in the rows of a brick order (brick_order.h).
 */
#pragma once

#include "brick_order.h"
#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

/* How much of a value a row gets. A half of counts is drawn at random, by the number of the value. */
typedef enum SinoValueShare { SINO_SHARE_WHOLE, SINO_SHARE_HALF, SINO_SHARE_FIRST, SINO_SHARE_SECOND } SinoValueShare;

/* Which value a row of a vector gets. */
typedef struct SinoGather {
    int64_t row_count;  /* of the vector */
    const int64_t *row; /* [row_count]: number of the value; −1: the row repeats another one; NULL: `column` has it */
    const uint32_t *column; /* [row_count]: number of the value; SINO_BRICK_NO_COLUMN: the value is 0 */
    const float *mask;      /* [row_count]: 0 where the value is 0 instead; NULL: nowhere; sino_gather_values only */
    SinoSlices slices;      /* of the vector */
    int64_t set;            /* its place among the slices; −1: every slice gets the value */
    SinoValueShare share;   /* sino_gather_values only */
    uint64_t seed;          /* of halves of counts */
} SinoGather;

/* Writes one set of values, value[number], into a vector, and 0 where there is no number; the other sets stay as they
 * are. */
void sino_gather_values(const SinoGather *gather, const float *value, float *vector);

/* The same for line integrals from counts g, randoms and scatter r, and factors n: (g − r)/n, and −0, the mark of a
 * value with weight 0, where n is 0 or there is no number. r NULL: all 0; n NULL: all 1. */
void sino_gather_integrals(const SinoGather *gather, const float *g, const float *r, const float *n, float *vector);

/* to += from, `count` elements. */
void sino_voxels_add(int64_t count, const float *from, float *to);

/* to = from · mask of the row. mask: [rows]; NULL: to = from. */
void sino_voxels_mask(SinoSlices slices, int64_t rows, const float *mask, const float *from, float *to);

/* image[column] = scale · the set's voxel: the columns first … first + count − 1 of the order. */
void sino_voxels_image(const SinoBrickOrder *order, SinoSlices slices, int64_t set, int64_t first, int64_t count,
                       double scale, const float *voxels, float *image);

/* On a GPU, bit for bit, with vectors in device memory, aligned to 16 bytes (cuda_stream.h). clear: to = 0. */
SinoStatus sino_voxels_clear_cuda(cudaStream_t stream, int64_t count, float *to);

SinoStatus sino_voxels_add_cuda(cudaStream_t stream, int64_t count, const float *from, float *to);
SinoStatus sino_voxels_mask_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *mask,
                                 const float *from, float *to);
