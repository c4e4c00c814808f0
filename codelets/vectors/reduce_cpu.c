/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: adds partial projections over footprints, and spread, the transposed operation, on a CPU core. */
#include "reduce.h"

#include "vector.h"

#include <string.h>

/* How far ahead a partial is fetched: the processor does not foresee that it goes on, as blocks interrupt it. */
enum { AHEAD_BYTES = 1024 };

/* to[f] += from[f], as far as whole vectors of so many bytes go. Rows begin at multiples of their elements. */
#define ADD_VECTORS(type, bytes)                                                                                       \
    for (; f + (int64_t)((bytes) / sizeof(type)) <= stride; f += (int64_t)((bytes) / sizeof(type))) {                  \
        typedef type Vector __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias));                     \
        *(Vector *)(void *)(to + f) += *(const Vector *)(const void *)(from + f);                                      \
    }

#define DEFINE_ADD_ROW(type)                                                                                           \
    SINO_INLINE void add_row_##type(int64_t stride, const type *from, type *to)                                        \
    {                                                                                                                  \
        int64_t f = 0;                                                                                                 \
        ADD_VECTORS(type, 64)                                                                                          \
        ADD_VECTORS(type, 32)                                                                                          \
        for (; f < stride; f++) to[f] += from[f];                                                                      \
    }

DEFINE_ADD_ROW(float)
DEFINE_ADD_ROW(double)

#define ADD_ROWS(type, width)                                                                                          \
    for (; i < last && map->row[i] - base < end; i++) {                                                                \
        const type *row = partial + i * (width);                                                                       \
        __builtin_prefetch((const char *)row + AHEAD_BYTES);                                                           \
        add_row_##type(width, row, total + (map->row[i] - base) * (width));                                            \
    }

/* Adds the rows of a partial from `from` on, each to row row[i] − base of a panel, up to row `end` of the panel.
 * Returns the partial's next row. The widths of usual panels are constants, for which the loop over a row is a few
 * instructions. */
#define DEFINE_ADD_UNTIL(type)                                                                                         \
    SINO_VECTORISED static int64_t add_until_##type(const SinoRowMap *map, int64_t base, int64_t from, int64_t end,    \
                                                    int64_t stride, const type *partial, type *total)                  \
    {                                                                                                                  \
        const int64_t last = map->first + map->count;                                                                  \
        int64_t i = from;                                                                                              \
        switch (stride) {                                                                                              \
        case 8:                                                                                                        \
            ADD_ROWS(type, 8)                                                                                          \
            break;                                                                                                     \
        case 16:                                                                                                       \
            ADD_ROWS(type, 16)                                                                                         \
            break;                                                                                                     \
        case 32:                                                                                                       \
            ADD_ROWS(type, 32)                                                                                         \
            break;                                                                                                     \
        default:                                                                                                       \
            ADD_ROWS(type, stride)                                                                                     \
        }                                                                                                              \
        return i;                                                                                                      \
    }

DEFINE_ADD_UNTIL(float)
DEFINE_ADD_UNTIL(double)

void sino_reduce_add(SinoSlices slices, const SinoRowMap *map, const void *partial, bool first, void *total)
{
    if (first) memset(total, 0, (size_t)(map->total_rows * slices.stride) * sino_precision_bytes(slices.precision));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const void *from = sino_panel_from(at, map->partial_rows, partial);
        void *to = sino_panel_to(at, map->total_rows, total);
        if (slices.precision == SINO_DOUBLE)
            (void)add_until_double(map, map->base, map->first, INT64_MAX, at.slices.stride, from, to);
        else
            (void)add_until_float(map, map->base, map->first, INT64_MAX, at.slices.stride, from, to);
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

/* Partials that are added to a block of rows of the total, which meanwhile stays in L1. */
enum { TOGETHER = 64, BLOCK_BYTES = 16 << 10 };

/* Rows of a total, or of a vector that has some of its rows alone. */
typedef struct Rows {
    int64_t first, count; /* of the total */
    int64_t held, before; /* rows of the vector, and those of the total before them */
    void *vector;
} Rows;

/* Adds up to TOGETHER partials to the rows of a panel; `clear` sets them to 0 before. */
static void add_together(SinoPanel at, int64_t count, const SinoRowMap *map, const void *const *partial, bool clear,
                         const Rows *rows)
{
    const int64_t row_bytes = at.slices.stride * (int64_t)sino_precision_bytes(at.slices.precision);
    const int64_t block_rows = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    const int64_t begin = rows->first - rows->before, end = begin + rows->count;
    int64_t next[TOGETHER];
    for (int64_t i = 0; i < count; i++) next[i] = row_at(&map[i], rows->first);
    for (int64_t row = begin; row < end; row += block_rows) {
        const int64_t block_end = row + block_rows < end ? row + block_rows : end;
        void *to = sino_panel_to(at, rows->held, rows->vector);
        if (clear) memset((char *)to + row * row_bytes, 0, (size_t)((block_end - row) * row_bytes));
        for (int64_t i = 0; i < count; i++) {
            const void *from = sino_panel_from(at, map[i].partial_rows, partial[i]);
            const int64_t base = map[i].base + rows->before;
            next[i] = at.slices.precision == SINO_DOUBLE
                          ? add_until_double(&map[i], base, next[i], block_end, at.slices.stride, from, to)
                          : add_until_float(&map[i], base, next[i], block_end, at.slices.stride, from, to);
        }
    }
}

static void add_all(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                    const Rows *rows)
{
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        for (int64_t i = 0; i < count; i += TOGETHER)
            add_together(at, count - i < TOGETHER ? count - i : TOGETHER, map + i, partial + i, i == 0, rows);
}

void sino_reduce_add_all(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                         int64_t first_row, int64_t row_count, void *total)
{
    const Rows rows = {.first = first_row, .count = row_count, .held = map[0].total_rows, .vector = total};
    add_all(slices, count, map, partial, &rows);
}

void sino_reduce_add_rows(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                          int64_t first_row, int64_t row_count, void *alone)
{
    const Rows rows = {.first = first_row, .count = row_count, .held = row_count, .before = first_row, .vector = alone};
    add_all(slices, count, map, partial, &rows);
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
