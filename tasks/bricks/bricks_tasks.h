/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of system matrices in bricks (brick.h). */
#pragma once

#include "brick_lists.h"
#include "brick_mirror.h"
#include "brick_pack.h"
#include "brick_voxels.h"
#include "bsrem.h"
#include "matrix_file.h"
#include "pet_scanner.h"
#include "runtime.h"

/* Tasks of bricks: products of the blocks of a system matrix (brick.h), one task for each row partition, and the sums
 * over row partitions. Vectors lie in panels of count sets.
 *
 * Devices compute products of blocks that have lists (brick_lists.h) behind them. They project into rows of their own,
 * which bricks_paste copies into the vector of rays. Tasks on cores of several row partitions write different rows of
 * one vector of rays at the same time: they lie between rays_begin and rays_end (rays_tasks.h) of that vector. */

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

/* Task bricks_turn: what OSEM does between the sweeps of two subsets, and the second sweep, at once. A subset of few
 * rows takes less time than tasks and passes over all voxels do; this task reads and writes the voxels that the rows of
 * the two subsets meet. One task has the whole subset: its matrix is one row partition, on one rank. Only cores run it.
 */

/* Data of the turn. weights NULL: there was no sweep before, and all of g becomes 0 instead. */
typedef struct SinoBricksTurn {
    SinoData *weights; /* of the subset that was swept last, from bricks_weights */
    SinoData *state;   /* of the slices (SinoSliceState) */
    SinoData *mask;    /* of g, [voxel]; NULL: none */
    SinoData *x;       /* becomes x · (g · mask) · weight */
    SinoData *g;       /* of the last sweep; becomes that of this one; 0 in bricks without weights */
    SinoData *part;    /* SinoBrickSums[stride], memory of the task's own */
    SinoData *all;     /* SinoSliceSums[stride]: squares and log-likelihood */
    SinoData *lost;    /* double[stride]: counts that no voxel explains */
    bool add;          /* to the sums; else they start */
} SinoBricksTurn;

/* Packs the weights 1/s of a subset (brick_touch.h), [voxel], in the bricks that its block touches. everywhere: weights
 * are above 0 where no row of the subset meets a voxel, and every brick counts as touched. packed:
 * sino_brick_weights_bytes. */
SinoStatus sino_insert_bricks_weights(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *weight, bool everywhere, SinoData *packed);

/* Updates x by g, and sweeps the block: part->row_count is part->rows. */
SinoStatus sino_insert_bricks_turn(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                   SinoData *block, const SinoBrickVectors *vectors, const SinoBricksTurn *turn);

/* Task bsrem: the update of an image of counts by a subset of the rows and a prior (codelets/bricks/bsrem.h). Without
 * devices several tasks share the rows of the vector. g becomes the new x. column[row], place[column]: the order of the
 * voxels; kappa, weight: [row]. The rows that are computed are all. */
SinoStatus sino_insert_bsrem(SinoRuntime *runtime, SinoPosition position, const SinoBsrem *bsrem, SinoData *column,
                             SinoData *place, SinoData *kappa, SinoData *weight, SinoData *state, SinoData *x,
                             SinoData *g);

/* Task pack_bricks: reads the rows of some subsets in a partition of a system matrix, and packs them into blocks of
 * bricks. Task list_bricks: makes the lists that devices need (brick_lists.h) behind the blocks. */

/* Memory of a block. */
typedef struct SinoBrickArea {
    int64_t row_count;
    void *block;           /* reserved: `capacity` bytes */
    int64_t capacity;      /* at most so many bytes are written */
    int64_t bytes;         /* of the finished block; written by the task */
    SinoBrickLists *lists; /* behind the block, for devices (SinoListBricks); NULL: none */
} SinoBrickArea;

/* The rows of a partition. Pointers are not owned, and outlive the task. */
typedef struct SinoPackBricks {
    SinoMatrixFile *file;
    const SinoBrickOrder *order;
    SinoPrecision precision;
    int64_t first_row, row_count;
    const int64_t *row;   /* [row_count]: the partition's rows in the order in which they are packed; NULL: ascending */
    int64_t range_rows;   /* rows that are read at a time, at most; row_count: all, whichever subset they belong to */
    int64_t subset_count; /* of the matrix: a row goes to the block of its lead mod subset_count (matrix_file.h) */
    int64_t first_subset, end_subset; /* rows of other subsets are left out */
    SinoBrickArea *area;              /* [subset_count] */
} SinoPackBricks;

/* work: nonzeros of the rows. The run waits for the task before anything else reads the areas. */
SinoStatus sino_insert_pack_bricks(SinoRuntime *runtime, int64_t partition, const SinoPackBricks *what, double work);

/* The blocks of a partition. Pointers are not owned, and outlive the task. */
typedef struct SinoListBricks {
    int64_t subset_count;
    const void *const *from; /* [subset_count]: blocks elsewhere, which are copied to the areas before; NULL: the areas
                                have them */
    SinoBrickArea *area;     /* [subset_count]: whose `lists` are written; with room for block and lists */
} SinoListBricks;

/* Bytes from the block to its lists. */
static inline int64_t sino_brick_area_lists_at(int64_t block_bytes)
{
    return sino_ceil_multiple(block_bytes, 64);
}

/* work: bytes of the blocks. The run waits for the task before anything else reads the areas. */
SinoStatus sino_insert_list_bricks(SinoRuntime *runtime, int64_t partition, const SinoListBricks *what, double work);

/* Tasks of the phantom of a PET scanner: pet_activity, a slice of the activity; pet_rows, the rows of a crystal in the
 * system matrix and their mean counts; pet_counts, the counts of these rows. */

/* slice[Y][X] of slice z. */
SinoStatus sino_insert_pet_activity(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t z, float *slice);

/* What a task pet_rows makes of a crystal. */
typedef struct SinoPetRows {
    SinoSparseRows rows; /* the caller frees its arrays with sino_pet_rows_forget */
    double *mean;        /* [row of the matrix]: of the crystal's rows, and of the rows for which they stand, is
                          * written, −1 of rows without entries; the caller's */
} SinoPetRows;

/* activity[orientation][voxel]: mirrored images; the first one is the activity. It and `made` must outlive the task. */
SinoStatus sino_insert_pet_rows(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t crystal,
                                const float *activity, SinoPetRows *made);

/* Frees the rows of tasks that have ended. */
void sino_pet_rows_forget(SinoPetRows *made);

/* Some rows of a measurement. */
typedef struct SinoPetCounts {
    int64_t row_count;
    uint64_t seed, first; /* numbers of the rows in the stream of the seed: first … first + row_count − 1 */
    const double *mean;   /* [row_count]: as pet_rows made them */
    double scale;         /* counts = scale · mean + additive; 0 of a row without entries */
    double additive;      /* mean counts of randoms and scatter, of each row with entries */
    int32_t *counts;      /* [row_count]: Poisson deviates, at most INT32_MAX */
    float *terms;         /* [row_count]: the additive mean; NULL: not wanted */
} SinoPetCounts;
SinoStatus sino_insert_pet_counts(SinoRuntime *runtime, const SinoPetCounts *counts);

/* Tasks of vectors of voxels in the order of bricks (brick_voxels.h): sums, masks, segments and images. */

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
