/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: converts a partition's block to the lists of one direction (gather.h).
 *
 * First all visits are measured; then the size of the lists is known; then each visit is written to its place. Many
 * threads may measure, and later write, different visits at once. The same block gives the same bytes. */
#pragma once

#include "gather.h"
#include "reduce.h"
#include "trace.h"

typedef struct SinoRegroupInput {
    const SinoBlockHeader *block;
    const SinoLayout *layout;
    const SinoFootprint *footprint; /* footprint of the block */
    const SinoTilePlace *tile;      /* of the partition */
    bool back;
    int outputs; /* R: 4, or 16 for half and mixed precision */
} SinoRegroupInput;

typedef struct SinoRegroup SinoRegroup;

/* The caller frees *regroup. Memory that the input points to is not owned, and must outlive it. SINO_FAILED: out of
 * memory. SINO_BAD_INPUT: the block comes from a file and holds what no rays can be. */
SinoStatus sino_regroup_new(const SinoRegroupInput *input, SinoRegroup **regroup);
void sino_regroup_free(SinoRegroup *regroup); /* takes NULL */

int64_t sino_regroup_visit_count(const SinoRegroup *regroup);

/* Size of the lists of a visit. */
typedef struct SinoRegroupSize {
    int32_t bundle_count, step_count;
} SinoRegroupSize;

/* Measures visits first … first + count − 1 into size[count]. SINO_FAILED: out of memory. SINO_BAD_INPUT: as above. */
SinoStatus sino_regroup_measure(const SinoRegroup *regroup, int64_t first, int64_t count, SinoRegroupSize *size);

/* Stores measured sizes of visits first … first + count − 1. All visits need a size before the functions below, except
 * _head_bytes. */
void sino_regroup_take(SinoRegroup *regroup, int64_t first, int64_t count, const SinoRegroupSize *size);

/* Bytes of header and tables, known before the visits are measured; bytes of the whole lists, header and tables
 * included. */
int64_t sino_regroup_head_bytes(const SinoRegroup *regroup);
int64_t sino_regroup_bytes(const SinoRegroup *regroup);

/* Writes header and tables to the start of the lists, before any visit is written. */
void sino_regroup_head(const SinoRegroup *regroup, void *lists);

/* Offset of the lists of a visit from the start of the header; for the number after the last visit: the end of the
 * lists. */
int64_t sino_regroup_offset(const SinoGatherHeader *head, int64_t visit);

SinoStatus sino_regroup_fill(const SinoRegroup *regroup, int64_t first, int64_t count, void *lists);
