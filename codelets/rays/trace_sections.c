/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: the list of sections to trace, in the order of a block, and the directions of angles. */
#include "trace_sections.h"

#include <math.h>
#include <stdbool.h>

static bool same_super_tile(SinoTilePlace a, SinoTilePlace b)
{
    return a.column / SINO_SUPER_TILE == b.column / SINO_SUPER_TILE &&
           a.row / SINO_SUPER_TILE == b.row / SINO_SUPER_TILE;
}

int64_t sino_trace_super_tile(int64_t tile_count, const SinoTilePlace *tile)
{
    int64_t count = 0;
    while (count < tile_count && same_super_tile(tile[0], tile[count])) count++;
    return count;
}

/* Lists the sections of some tiles for angles first … end − 1 of one class; returns their number. NULL: only counts
 * them. */
static int64_t list_tiles(const SinoLayout *layout, const SinoAngleClass *class, int64_t first, int64_t end,
                          int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile, SinoTraceSection *section)
{
    const int64_t size = layout->geometry.grid_size;
    int64_t count = 0;
    for (int64_t t = 0; t < tile_count; t++) {
        if (sino_tile_range(size, tile[t].column).count == 0 || sino_tile_range(size, tile[t].row).count == 0) continue;
        if (section)
            section[count] = (SinoTraceSection){.place = tile[t],
                                                .tile = (int32_t)(first_tile + t),
                                                .orientations = class->orientations,
                                                .first = first,
                                                .end = end,
                                                .step = class->count * layout->geometry.column_count};
        count++;
    }
    return count;
}

/* Lists the sections of one super-tile; returns their number. */
static int64_t list_super_tile(const SinoLayout *layout, int64_t first_tile, int64_t tile_count,
                               const SinoTilePlace *tile, SinoTraceSection *section)
{
    const int64_t section_angles = SINO_SECTION_GROUPS * layout->group_angles;
    int64_t count = 0;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        const int64_t class_end = class->first + class->count;
        for (int64_t angle = class->first; angle < class_end; angle += section_angles) {
            const int64_t end = angle + section_angles < class_end ? angle + section_angles : class_end;
            count +=
                list_tiles(layout, class, angle, end, first_tile, tile_count, tile, section ? section + count : NULL);
        }
    }
    return count;
}

int64_t sino_trace_sections(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTraceSection *section)
{
    int64_t count = 0;
    for (int64_t first = 0, tiles; first < tile_count; first += tiles) {
        tiles = sino_trace_super_tile(tile_count - first, tile + first);
        count += list_super_tile(layout, first_tile + first, tiles, tile + first, section ? section + count : NULL);
    }
    return count;
}

void sino_trace_angles(const SinoLayout *layout, SinoTraceAngle *angle)
{
    const SinoGeometry *geometry = &layout->geometry;
    for (int64_t k = 0; k < geometry->angle_count; k++)
        angle[k] = (SinoTraceAngle){cos(geometry->angle_rad[k]), sin(geometry->angle_rad[k])};
}
