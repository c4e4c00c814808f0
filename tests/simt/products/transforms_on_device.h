/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of slices that kernels transform on a device. */
#pragma once

#include "tile_rows.h"

#include <stddef.h>

/* Bytes of a transform: slices of odd sizes are transformed as large ones are, in several transforms of columns, of 23
 * voxels a side also of rows. */
static inline int64_t transform_bytes(int64_t size, int64_t usual_bytes)
{
    return size % 2 == 0 ? usual_bytes : size % 4 == 3 ? 3000 : 26000;
}

static inline size_t part_vector_bytes(const SinoTileMap *map, SinoSlices slices, int64_t part)
{
    return (size_t)(map->part_rows[part] * slices.stride) * sizeof(float);
}

static inline int64_t count_parts(const SinoTileMap *map, int64_t tiles)
{
    int64_t count = 0;
    for (int64_t i = 0; i < tiles; i++)
        if (map->tile[i].part >= count) count = map->tile[i].part + 1;
    return count;
}
