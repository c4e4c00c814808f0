/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks: products of the blocks of a system matrix (brick.h), one task for each row partition, and the sums
 * over row partitions. Vectors lie in panels of count sets.
 *
 * Devices compute products of blocks that have lists (brick_lists.h) behind them. They project into rows of their own,
 * which bricks_paste copies into the vector of rays. Tasks on cores of several row partitions write different rows of
 * one vector of rays at the same time: they lie between rays_begin and rays_end (rays_gate_task.h) of that vector. */
#pragma once

#include "brick_lists.h"
#include "brick_mirror.h"
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
    const SinoBrickLists *lists; /* in main memory, in the block's data; NULL: only cores compute; not owned */
    SinoData *work_memory;  /* scratch for backproject and sweep: of sino_bricks_work_bytes, on devices, or of a folded
                             * block, a vector of orientations; else NULL */
    SinoBrickMirror mirror; /* of a folded block; products then take orientations of x (bricks_spread) */
    SinoBrickFold fold;     /* likewise; orientation_count ≤ 1: it is not folded */
} SinoBrickPart;

/* Bytes of memory that a device needs for a product of so many rows. */
int64_t sino_bricks_work_bytes(int64_t row_count, SinoSlices slices);

/* bricks_spread: to = the orientations of x (brick_mirror.h), whose order is not owned, and outlives the task. */
SinoStatus sino_insert_bricks_spread(SinoRuntime *runtime, SinoPosition position, const SinoBrickMirror *mirror,
                                     SinoSlices slices, SinoData *x, SinoData *to);

/* bricks_project: the block's rows of y become A x. With lists y is written by this task alone, and else as the gates
 * say. */
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

/* bricks_sweep: x_sum becomes Aᵀ(n · g/ybar) of the block's rows, and sums[set] what they sum up to (SinoBrickSums). */
SinoStatus sino_insert_bricks_sweep(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *block, const SinoBrickVectors *vectors, SinoData *x, SinoData *x_sum,
                                    SinoData *sums);

/* bricks_paste: the block's rows of y become `rows`, a vector of part->row_count rows. */
SinoStatus sino_insert_bricks_paste(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *rows, SinoData *y);

/* bricks_sums: adds up sums[partition][set] in the order of partitions: all[set] = or += squares and log-likelihood,
 * lost[set] = or += counts that no voxel explains; `add`: +=. */
SinoStatus sino_insert_bricks_sums(SinoRuntime *runtime, SinoPosition position, int64_t stride, int64_t partition_count,
                                   bool add, SinoData *const *sums, SinoData *all, SinoData *lost);

/* gather_values, gather_integrals: brick_voxels.h. values: g, or any values; r, n: NULL as there. The list of the
 * gather is not owned, and outlives the task. first: the vector has no values yet, and becomes 0 before. */
SinoStatus sino_insert_gather_values(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather, bool first,
                                     SinoData *values, SinoData *vector);
SinoStatus sino_insert_gather_integrals(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather,
                                        bool first, SinoData *g, SinoData *r, SinoData *n, SinoData *vector);
