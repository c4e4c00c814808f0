/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: adds partial projections over footprints, and spread, the transposed operation, on a CPU core. */
#include "reduce.h"

#include "vector.h"

#include <string.h>

/* Adds the rows of one panel; `stride` is the panel's own. */
#define DEFINE_ADD(type)                                                                                               \
    SINO_VECTORISED static void add_##type(const SinoRowMap *map, int64_t stride, const type *partial, type *total)    \
    {                                                                                                                  \
        for (int64_t i = map->first; i < map->first + map->count; i++) {                                               \
            type *to = total + (map->row[i] - map->base) * stride;                                                     \
            for (int64_t f = 0; f < stride; f++) to[f] += partial[i * stride + f];                                     \
        }                                                                                                              \
    }

DEFINE_ADD(float)
DEFINE_ADD(double)

void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total)
{
    if (first) memset(total, 0, (size_t)(map->total_rows * slices.stride) * sino_precision_bytes(slices.precision));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const void *from = sino_panel_from(at, map->partial_rows, partial);
        void *to = sino_panel_to(at, map->total_rows, total);
        if (slices.precision == SINO_DOUBLE)
            add_double(map, at.slices.stride, from, to);
        else
            add_float(map, at.slices.stride, from, to);
    }
}

/* The first row of the partial that belongs to row `total_row` of the total or to a later one. */
static int64_t row_at(const SinoRowMap *map, int64_t total_row)
{
    int64_t first = map->first, end = map->first + map->count;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (map->row[middle] - map->base < total_row)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Some rows of one panel of the total. They stay in the cache while one partial after another is added. */
static void add_all_rows(SinoPanel at, int64_t count, const SinoRowMap *map, const void *const *partial, int64_t begin,
                         int64_t end, void *total)
{
    const int64_t row_bytes = at.slices.stride * (int64_t)sino_precision_bytes(at.slices.precision);
    for (int64_t i = 0; i < count; i++) {
        SinoRowMap part = map[i];
        part.first = row_at(&map[i], begin);
        part.count = row_at(&map[i], end) - part.first;
        const void *from = sino_panel_from(at, part.partial_rows, partial[i]);
        void *to = sino_panel_to(at, part.total_rows, total);
        if (i == 0) memset((char *)to + begin * row_bytes, 0, (size_t)((end - begin) * row_bytes));
        if (at.slices.precision == SINO_DOUBLE)
            add_double(&part, at.slices.stride, from, to);
        else
            add_float(&part, at.slices.stride, from, to);
    }
}

void sino_reduce_add_all(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                         int64_t first_row, int64_t row_count, void *total)
{
    enum { BLOCK_ROWS = 512 };
    const int64_t last = first_row + row_count;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        for (int64_t begin = first_row; begin < last; begin += BLOCK_ROWS)
            add_all_rows(at, count, map, partial, begin, begin + BLOCK_ROWS < last ? begin + BLOCK_ROWS : last, total);
}

/* Copies rows of one panel. */
static void take_rows(const SinoRowMap *map, int64_t row_bytes, const char *total, char *partial)
{
    for (int64_t i = map->first; i < map->first + map->count; i++)
        memcpy(partial + i * row_bytes, total + (map->row[i] - map->base) * row_bytes, (size_t)row_bytes);
}

void sino_spread_take(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial)
{
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        take_rows(map, at.slices.stride * (int64_t)sino_precision_bytes(slices.precision),
                  sino_panel_from(at, map->total_rows, total), sino_panel_to(at, map->partial_rows, partial));
}
