/* SPDX-License-Identifier: BSD-3-Clause */
/* Block check: whether memory from elsewhere, such as a file, is a block (block.h) of the given rays and tiles. */
#pragma once

#include "pack.h"

/* What the block must be of. */
typedef struct SinoBlockCheck {
    const SinoLayout *layout;
    int64_t tile_count;
    const SinoTilePlace *tile; /* [tile_count] of the partition; not owned */
    SinoFootprint footprint;   /* its rays are checked, too; without a list the block has every ray of the layout */
} SinoBlockCheck;

/* Checks everything that a kernel takes as a size, an offset or a number of a row: no block that passes makes a kernel
 * on the CPU read or write outside its memory, or go on forever. Voxels and lengths are not looked at: every value of
 * theirs is safe, though not right. `block`: `bytes` bytes, aligned to 64. SINO_BAD_INPUT: the text is a predicate,
 * such as "has sections that are not those of its tiles". SINO_FAILED: out of memory. */
SinoStatus sino_block_check(const SinoBlockCheck *check, const void *block, int64_t bytes);
