/* SPDX-License-Identifier: BSD-3-Clause */
/* Task list_bricks: makes the lists that devices need (brick_lists.h) behind the blocks of a row partition. */
#pragma once

#include "pack_bricks_task.h"

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
