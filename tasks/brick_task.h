/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks: products of the blocks of a system matrix (brick.h), one task for each row partition, and the sums
 * over row partitions. Vectors lie in panels of count sets.
 *
 * Tasks of several row partitions write different rows of one vector of rays, and different rows of one array of sums,
 * at the same time: they lie between rays_begin and rays_end (rays_gate_task.h) of that vector or array. */
#ifndef SINO_BRICK_TASK_H
#define SINO_BRICK_TASK_H

#include "brick_voxels.h"
#include "runtime.h"

/* A block, and its place in the vectors of its subset of rows. */
typedef struct SinoBrickPart {
    SinoSlices slices;  /* count sets */
    int64_t rows;       /* of the vectors of the subset */
    int64_t first_row;  /* of the block in these vectors */
    int64_t row_count;  /* of the block */
    int64_t voxel_rows; /* of a vector of voxels */
    int64_t partition;  /* the number of the row partition */
    double progress;    /* work that the task tells (sino_runtime_advance) */
    bool forget;        /* the block lies in a mapped file that is larger than memory */
    double work;        /* measure of the task's time: bytes of the block times panels */
    double flops;       /* of a product: 2·nonzeros·sets */
    SinoPrecision precision;
} SinoBrickPart;

/* bricks_project: the block's rows of y become A x. */
SinoStatus sino_insert_bricks_project(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *x, SinoData *y);

/* bricks_backproject: x becomes Aᵀ y of the block's rows. */
SinoStatus sino_insert_bricks_backproject(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                          SinoData *block, SinoData *y, SinoData *x);

/* Vectors of the subset that a sweep compares with: counts and additive of all sets, multiplicative of one; NULL: 0, 1.
 */
typedef struct SinoBrickVectors {
    SinoData *counts, *multiplicative, *additive;
} SinoBrickVectors;

/* bricks_sweep: x_sum becomes Aᵀ(n · g/ybar) of the block's rows, and sums[partition][set] what they sum up to
 * (SinoBrickSums). */
SinoStatus sino_insert_bricks_sweep(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *block, const SinoBrickVectors *vectors, SinoData *x, SinoData *x_sum,
                                    SinoData *sums);

/* bricks_sums: adds up sums[partition_count][stride] in the order of partitions: all[set] = or += squares and
 * log-likelihood, lost[stride] = or += counts that no voxel explains; `add`: +=. */
SinoStatus sino_insert_bricks_sums(SinoRuntime *runtime, SinoPosition position, int64_t stride, int64_t partition_count,
                                   bool add, SinoData *sums, SinoData *all, SinoData *lost);

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

/* gather_values, gather_integrals: brick_voxels.h. values: g, or any values; r, n: NULL as there. The list of the
 * gather is not owned, and outlives the task. first: the vector has no values yet, and becomes 0 before. */
SinoStatus sino_insert_gather_values(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather, bool first,
                                     SinoData *values, SinoData *vector);
SinoStatus sino_insert_gather_integrals(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather,
                                        bool first, SinoData *g, SinoData *r, SinoData *n, SinoData *vector);

/* The instruction set of the products. */
const char *sino_bricks_isa_name(void);

#endif
