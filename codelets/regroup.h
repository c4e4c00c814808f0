/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: from a partition's block to the lists of one direction (gather.h).
 *
 * First all visits are measured, then the lists' size is known, then each visit is written to its place: both by many
 * threads at once, for different visits. The same block gives the same bytes. */
#ifndef SINO_REGROUP_H
#define SINO_REGROUP_H

#include "gather.h"
#include "reduce.h"
#include "trace.h"

typedef struct SinoRegroupInput {
    const SinoBlockHeader *block;
    const SinoLayout *layout;
    const SinoFootprint *footprint; /* of the block's rays */
    const SinoTilePlace *tile;      /* of the partition */
    bool back;
    int outputs; /* R: 4, or 16 for half and mixed precision */
} SinoRegroupInput;

typedef struct SinoRegroup SinoRegroup;

/* What the input refers to is not owned and has to stay. SINO_FAILED: out of memory. */
SinoStatus sino_regroup_new(const SinoRegroupInput *input, SinoRegroup **regroup);
void sino_regroup_free(SinoRegroup *regroup); /* takes NULL */

int64_t sino_regroup_visit_count(const SinoRegroup *regroup);

/* What a visit takes. */
typedef struct SinoRegroupSize {
    int32_t bundle_count, step_count;
} SinoRegroupSize;

/* Visits first … first + count − 1, of `count` sizes. SINO_FAILED: out of memory. */
SinoStatus sino_regroup_measure(const SinoRegroup *regroup, int64_t first, int64_t count, SinoRegroupSize *size);

/* Sizes as measured, of every visit before what follows. */
void sino_regroup_take(SinoRegroup *regroup, int64_t first, int64_t count, const SinoRegroupSize *size);

/* Bytes of header and tables, known before the visits are measured; bytes of the lists, these included. */
int64_t sino_regroup_head_bytes(const SinoRegroup *regroup);
int64_t sino_regroup_bytes(const SinoRegroup *regroup);

/* Header and tables, which come before the visits. */
void sino_regroup_head(const SinoRegroup *regroup, void *lists);

/* Where the lists of a visit begin, from the start of the header; of the visit after the last, their end. */
int64_t sino_regroup_offset(const SinoGatherHeader *head, int64_t visit);

SinoStatus sino_regroup_fill(const SinoRegroup *regroup, int64_t first, int64_t count, void *lists);

/* All of it by one thread; the lists are the caller's, to be released with free(). */
SinoStatus sino_regroup_block(const SinoRegroupInput *input, SinoGatherHeader **lists);

#endif
