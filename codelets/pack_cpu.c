/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: traced tiles into a block whose rays are numbered within the partition's footprint. */
#include "pack.h"

#include <string.h>

/* Calls visit(group, data) for each group of the traced tiles; it may change the group's header. */
static void for_each_group(const SinoTrace *trace, void (*visit)(SinoGroupHeader *group, void *data), void *data)
{
    for (int64_t at = 0; at < trace->size;) {
        const SinoSectionHeader *section = (const void *)(trace->bytes + at);
        at += (int64_t)sizeof *section;
        for (int32_t g = 0; g < section->group_count; g++) {
            SinoGroupHeader *group = (void *)(trace->bytes + at);
            at += sino_group_bytes(group->voxel_count, trace->precision);
            visit(group, data);
        }
    }
}

static void mark(SinoGroupHeader *group, void *data)
{
    uint8_t *touched = data;
    for (int r = 0; r < SINO_GROUP_RAYS; r++) __atomic_store_n(&touched[group->ray[r]], 1, __ATOMIC_RELAXED);
}

void sino_pack_mark(const SinoTrace *trace, uint8_t *touched)
{
    for_each_group(trace, mark, touched);
}

static void renumber(SinoGroupHeader *group, void *data)
{
    const uint32_t *const *local = data;
    for (int r = 0; r < SINO_GROUP_RAYS; r++) group->ray[r] = (*local)[group->ray[r]];
}

void sino_pack_tiles(SinoTrace *trace, const uint32_t *local, uint8_t *to)
{
    if (local) for_each_group(trace, renumber, &local);
    if (trace->size > 0) memcpy(to, trace->bytes, (size_t)trace->size);
    sino_trace_free(trace);
}
