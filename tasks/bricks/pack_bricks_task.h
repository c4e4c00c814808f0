/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pack_bricks: reads the rows of some subsets in a partition of a system matrix, and packs them into blocks of
 * bricks. Task list_bricks: makes the lists that devices need (brick_lists.h) behind the blocks. */
#pragma once

#include "brick_lists.h"
#include "brick_pack.h"
#include "matrix_file.h"
#include "runtime.h"

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
