/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice parts: a task's data from partitions, and addresses from a task's data. */
#include "slice_parts.h"

SinoSliceParts sino_slice_parts(const SinoTileMap *map, int64_t count)
{
    SinoSliceParts parts = {.map = *map, .count = count};
    for (int64_t p = 0; p < count; p++) parts.filled += map->part_rows[p] > 0;
    return parts;
}

int sino_slice_parts_access(const SinoSliceParts *parts, SinoData *const *part, SinoAccessMode mode, int count,
                            SinoAccess *access)
{
    for (int64_t p = 0; p < parts->count; p++)
        if (parts->map.part_rows[p] > 0) access[count++] = (SinoAccess){part[p], mode};
    return count;
}

void sino_slice_parts_list(const SinoSliceParts *parts, const SinoTask *task, int first, void **address)
{
    for (int64_t p = 0; p < parts->count; p++)
        address[p] = parts->map.part_rows[p] > 0 ? sino_task_buffer(task, first++) : NULL;
}
