/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice parts: the voxel vectors of all partitions of a slice, as the data of a task that sees slices whole. */
#ifndef SINO_SLICE_PARTS_H
#define SINO_SLICE_PARTS_H

#include "task.h"
#include "tile_rows.h"

/* The arrays of the map are not owned. Part p is empty if map.part_rows[p] is 0; it is no data of a task. */
typedef struct SinoSliceParts {
    SinoTileMap map;
    int64_t count, filled; /* parts, and those that are not empty */
} SinoSliceParts;

SinoSliceParts sino_slice_parts(const SinoTileMap *map, int64_t count);

/* Appends the parts that are not empty to the accesses, after the first `count`; returns their new number. */
int sino_slice_parts_access(const SinoSliceParts *parts, SinoData *const *part, SinoAccessMode mode, int count,
                            SinoAccess *access);

/* In a task whose buffers of the parts begin at `first`: their addresses, NULL of those that are empty. */
void sino_slice_parts_list(const SinoSliceParts *parts, const SinoTask *task, int first, void **address);

#endif
