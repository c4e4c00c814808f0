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
