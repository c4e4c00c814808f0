/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes by sorting, for the slices of a panel at once (algorithm 3 of Vo et al. 2018; stripes_vo.c has it for one
 * slice).
 *
 * The 16 neighbouring values of a row, slices of one column or of a few, are lanes of vectors; each lane is sorted over
 * the angles by the same network (sort_lanes_isa.c). What the network sorts is one word per value: its place between
 * the least and the largest value of its lane in as many bits as the angle's number leaves. Values that share a place
 * come out in the order of their angles; the few that are out of order then are put right by insertion, so that the
 * result is that of a sort of the values themselves. Lanes with too many of them, or without a range, are sorted by
 * digits.
 *
 * Columns are sorted ahead as far as the medians of a block of columns see; medians and values that are put back follow
 * behind. What is between lies in the cache, and the panel is read once and written once. */
#include "stripes_sorted.h"

#include "memory.h"
#include "sort_lanes_isa.h"
#include "stripes_private.h"
#include "stripes_window.h"
#include "vector.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LANES = SINO_SORT_LANES,
    BLOCK = 16, /* columns whose medians are found at a time, at least */
    STAGE = 4,  /* times the lanes that are read and written together: a row's neighbouring values share pages */
    ANGLES_MOST = 1 << 16, /* whose numbers fit 16 bits */
    PLACE_BITS_MOST = 24,  /* of a value between the least and the largest */
    MOVES_MOST = 4 * LANES /* of values put right, per angle */
};
_Static_assert((int)LANES == (int)SINO_STRIPES_LINE, "medians are of whole vectors");

/* Some slices of a panel, and scratch memory. A sorted column is [rank][width], in whole vectors. */
typedef struct Sorted {
    int64_t angle_count, column_count;
    int64_t row_values, stride;   /* values between rows of the panel, and between its columns */
    int64_t first, width, active; /* slices of the panel, the first `active` of which are no padding */
    int64_t together, block;      /* columns of the lanes; columns whose medians are found at a time */
    const int64_t *place;
    int64_t size, held; /* columns of a median, and columns that are kept */
    int64_t column_values;
    const SinoSortLanesIsa *isa;
    float *stage;                  /* [STAGE][angle][LANES] */
    float *values;                 /* [angle][LANES], a part of it */
    uint32_t *key;                 /* [rank][LANES] */
    float *ranked;                 /* [rank][LANES] */
    float *sorted;                 /* [column % held][column_values] */
    uint16_t *angle;               /* likewise: the angle of each */
    float *window;                 /* [column_values / LANES][size + 1][LINE] */
    float *median;                 /* [BLOCK][column_values] */
    float *column, *column_sorted; /* [angle], for the sort by digits; and four times as much */
    uint32_t *digits, *order;
} Sorted;

static const SinoSortLanesIsa *this_isa(void)
{
#if defined __x86_64__ && defined __GNUC__
    const int64_t avx512 = 64, avx2 = 32;
    if (sino_vector_bytes() >= avx512) return &sino_sort_lanes_avx512;
    if (sino_vector_bytes() >= avx2) return &sino_sort_lanes_avx2;
#endif
    return &sino_sort_lanes_plain;
}

bool sino_stripes_sorted_takes(const SinoStripesOptions *options)
{
    return options->method == SINO_STRIPES_SORTING && options->angle_count <= ANGLES_MOST;
}

/* ---- scratch memory ---- */

/* The next `count` elements of `each` bytes, after `bytes` of the scratch memory, if there is any. */
static void *take(char *scratch, int64_t count, size_t each, int64_t *bytes)
{
    void *taken = scratch ? scratch + *bytes : NULL;
    *bytes += sino_ceil_multiple(sino_times(count, (int64_t)each), SINO_ALIGNMENT_BYTES);
    return taken;
}

static Sorted divide(const SinoStripesOptions *options, int64_t width, void *scratch, int64_t *bytes)
{
    const int64_t angles = options->angle_count, columns = options->column_count, together = LANES / width;
    Sorted at = {.angle_count = angles,
                 .column_count = columns,
                 .width = width,
                 .together = together,
                 .block = sino_larger(BLOCK, STAGE * together),
                 .size = sino_stripes_fitting(sino_stripes_sorting_size(options), columns),
                 .column_values = sino_ceil_multiple(sino_times(angles, width), LANES)};
    const int64_t lanes = sino_times(angles, LANES), values = at.column_values;
    at.held = sino_smaller(at.size + at.block + STAGE * together, columns);
    *bytes = 0;
    at.stage = take(scratch, sino_times(STAGE, lanes), sizeof *at.stage, bytes);
    at.key = take(scratch, lanes, sizeof *at.key, bytes);
    at.ranked = take(scratch, lanes, sizeof *at.ranked, bytes);
    at.sorted = take(scratch, sino_times(at.held, values), sizeof *at.sorted, bytes);
    at.angle = take(scratch, sino_times(at.held, values), sizeof *at.angle, bytes);
    at.window = take(scratch, sino_times(at.size + 1, values), sizeof *at.window, bytes);
    at.median = take(scratch, sino_times(at.block, values), sizeof *at.median, bytes);
    at.column = take(scratch, angles, sizeof *at.column, bytes);
    at.column_sorted = take(scratch, angles, sizeof *at.column_sorted, bytes);
    at.digits = take(scratch, sino_times(SINO_STRIPES_DIGITS_WORDS, angles), sizeof *at.digits, bytes);
    at.order = take(scratch, angles, sizeof *at.order, bytes);
    return at;
}

int64_t sino_stripes_sorted_bytes(const SinoStripesOptions *options)
{
    int64_t most = 0;
    for (int64_t width = 1; sino_stripes_sorted_takes(options) && width <= LANES; width *= 2) {
        int64_t bytes = 0;
        (void)divide(options, width, NULL, &bytes);
        most = sino_larger(most, bytes);
    }
    return most;
}

/* ---- rows of the panel ---- */

SINO_INLINE int64_t row_of(const Sorted *at, int64_t k)
{
    return (at->place ? at->place[k] : k) * at->row_values;
}

/* Columns that the lanes hold from column c on. */
static int64_t columns_together(const Sorted *at, int64_t c)
{
    return sino_smaller(at->together, at->column_count - c);
}

/* The least and the largest value of each lane. */
typedef struct Range {
    float least[LANES], most[LANES];
} Range;

/* How many times the lanes are read or written together. */
static int64_t lane_blocks(const Sorted *at, int64_t c)
{
    return sino_smaller(STAGE, sino_ceil_divide(at->column_count - c, at->together));
}

#define DEFINE_ROWS(type)                                                                                              \
    /* Reads the lanes from column c on. */                                                                            \
    SINO_VECTORISED static void gather_##type(const Sorted *at, int64_t c, const type *panel)                          \
    {                                                                                                                  \
        const int64_t blocks = lane_blocks(at, c), step = at->together * at->stride;                                   \
        const int64_t lanes = columns_together(at, c + (blocks - 1) * at->together) * at->width;                       \
        for (int64_t k = 0; k < at->angle_count; k++) {                                                                \
            const type *row = panel + row_of(at, k) + c * at->stride + at->first;                                      \
            float *to = at->stage + k * LANES;                                                                         \
            for (int64_t b = 0; b < blocks; b++, row += step, to += at->angle_count * LANES)                           \
                if (b + 1 < blocks || lanes == LANES)                                                                  \
                    for (int i = 0; i < LANES; i++) to[i] = (float)row[i];                                             \
                else                                                                                                   \
                    for (int i = 0; i < LANES; i++) to[i] = i < lanes ? (float)row[i] : 0;                             \
        }                                                                                                              \
    }                                                                                                                  \
    /* Writes the lanes from column c on. Zeros become +0. */                                                          \
    SINO_VECTORISED static void scatter_##type(const Sorted *at, int64_t c, type *panel)                               \
    {                                                                                                                  \
        const int64_t blocks = lane_blocks(at, c), step = at->together * at->stride;                                   \
        const int64_t lanes = columns_together(at, c + (blocks - 1) * at->together) * at->width;                       \
        for (int64_t k = 0; k < at->angle_count; k++) {                                                                \
            type *row = panel + row_of(at, k) + c * at->stride + at->first;                                            \
            const float *from = at->stage + k * LANES;                                                                 \
            for (int64_t b = 0; b < blocks; b++, row += step, from += at->angle_count * LANES)                         \
                if ((b + 1 < blocks || lanes == LANES) && at->active == at->width)                                     \
                    for (int i = 0; i < LANES; i++) row[i] = (type)from[i] + (type)0;                                  \
                else                                                                                                   \
                    for (int64_t i = 0; i < (b + 1 < blocks ? LANES : lanes); i++)                                     \
                        row[i] = i % at->width < at->active ? (type)from[i] + (type)0 : row[i];                        \
        }                                                                                                              \
    }

DEFINE_ROWS(float)
DEFINE_ROWS(double)

#define DEFINE_HAS_UNDEFINED(type, bits)                                                                               \
    SINO_VECTORISED static bool has_undefined_##type(int64_t count, const type *values)                                \
    {                                                                                                                  \
        bits found = 0;                                                                                                \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            bits of;                                                                                                   \
            memcpy(&of, values + i, sizeof of);                                                                        \
            found |= of == (bits)1 << (8 * sizeof of - 1);                                                             \
        }                                                                                                              \
        return found != 0;                                                                                             \
    }

DEFINE_HAS_UNDEFINED(float, uint32_t)
DEFINE_HAS_UNDEFINED(double, uint64_t)

/* Whether one of a panel's values is −0. */
static bool has_undefined(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, const void *panel)
{
    const int64_t count = options->column_count * slices.stride;
    for (int64_t k = 0; k < options->angle_count; k++) {
        const int64_t row = (place ? place[k] : k) * count;
        if (slices.precision == SINO_DOUBLE ? has_undefined_double(count, (const double *)panel + row)
                                            : has_undefined_float(count, (const float *)panel + row))
            return true;
    }
    return false;
}

/* ---- sort ---- */

static int bits_of(int64_t count)
{
    int bits = 0;
    while ((int64_t)1 << bits < count) bits++;
    return bits;
}

/* false: one of the values is no number. */
SINO_VECTORISED static bool find_range(const Sorted *at, Range *range)
{
    Range here;
    int32_t defined = 1;
    for (int i = 0; i < LANES; i++) here.least[i] = INFINITY, here.most[i] = -INFINITY;
    for (int64_t k = 0; k < at->angle_count; k++) {
        const float *values = at->values + k * LANES;
        for (int i = 0; i < LANES; i++) {
            here.least[i] = values[i] < here.least[i] ? values[i] : here.least[i];
            here.most[i] = values[i] > here.most[i] ? values[i] : here.most[i];
            defined &= fabsf(values[i]) <= FLT_MAX;
        }
    }
    *range = here;
    return defined != 0;
}

/* Makes words of values: place and angle. */
SINO_VECTORISED static void make_keys(const Sorted *at, const Range *range)
{
    const int angle_bits = bits_of(at->angle_count), place_bits = (int)sino_smaller(32 - angle_bits, PLACE_BITS_MOST);
    const int32_t last = (1 << place_bits) - 1;
    float scale[LANES];
    for (int i = 0; i < LANES; i++) {
        scale[i] = (float)last / (range->most[i] - range->least[i]);
        scale[i] = scale[i] <= FLT_MAX ? scale[i] : 0; /* without a range all share a place */
    }
    for (int64_t k = 0; k < at->angle_count; k++)
        for (int i = 0; i < LANES; i++) {
            const int32_t place = (int32_t)((at->values[k * LANES + i] - range->least[i]) * scale[i]);
            at->key[k * LANES + i] = (uint32_t)(place < last ? place : last) << angle_bits | (uint32_t)k;
        }
}

/* Signed integers in the order of the floats, −0 before +0. */
SINO_INLINE int32_t ordered(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

/* Moves the value of rank r of each lane down to its place among those below it; returns by how many ranks together. */
static int64_t put_right(const Sorted *at, int64_t r)
{
    int64_t moves = 0;
    for (int i = 0; i < LANES; i++)
        for (int64_t now = r; now > 0; now--, moves++) {
            float *here = at->ranked + now * LANES + i;
            uint32_t *key = at->key + now * LANES + i;
            if (ordered(here[-LANES]) <= ordered(*here)) break;
            const float value = *here;
            const uint32_t moved = *key;
            *here = here[-LANES];
            *key = key[-LANES];
            here[-LANES] = value;
            key[-LANES] = moved;
        }
    return moves;
}

/* Takes the values in the order of the sorted words; false: too many are out of order. */
SINO_VECTORISED static bool take_values(const Sorted *at)
{
    const uint32_t mask = ((uint32_t)1 << bits_of(at->angle_count)) - 1;
    int64_t moves = 0;
    for (int64_t r = 0; r < at->angle_count; r++) {
        float *here = at->ranked + r * LANES;
        int32_t wrong = 0;
        for (int i = 0; i < LANES; i++) here[i] = at->values[(int64_t)(at->key[r * LANES + i] & mask) * LANES + i];
        if (r == 0) continue;
        for (int i = 0; i < LANES; i++) wrong |= ordered(here[i - LANES]) > ordered(here[i]);
        if (wrong) moves += put_right(at, r);
        if (moves > MOVES_MOST * at->angle_count) return false;
    }
    return true;
}

static void sort_by_digits(const Sorted *at)
{
    for (int i = 0; i < LANES; i++) {
        for (int64_t k = 0; k < at->angle_count; k++) at->column[k] = at->values[k * LANES + i];
        sino_stripes_sort_column(at->angle_count, at->column, at->digits, at->column_sorted, at->order);
        for (int64_t r = 0; r < at->angle_count; r++) {
            at->ranked[r * LANES + i] = at->column_sorted[r];
            at->key[r * LANES + i] = at->order[r];
        }
    }
}

/* Moves the sorted lanes to columns c …, with their angles. */
SINO_VECTORISED static void keep_columns(const Sorted *at, int64_t c)
{
    const uint32_t mask = ((uint32_t)1 << bits_of(at->angle_count)) - 1;
    for (int64_t j = 0; j < columns_together(at, c); j++) {
        float *sorted = at->sorted + (c + j) % at->held * at->column_values;
        uint16_t *angle = at->angle + (c + j) % at->held * at->column_values;
        const float *from = at->ranked + j * at->width;
        const uint32_t *key = at->key + j * at->width;
        if (at->width == LANES)
            for (int64_t i = 0; i < at->column_values; i++) sorted[i] = from[i], angle[i] = (uint16_t)(key[i] & mask);
        else
            for (int64_t r = 0; r < at->angle_count; r++)
                for (int64_t f = 0; f < at->width; f++) {
                    sorted[r * at->width + f] = from[r * LANES + f];
                    angle[r * at->width + f] = (uint16_t)(key[r * LANES + f] & mask);
                }
    }
}

static bool has_ranges(const Range *range)
{
    bool all = true;
    for (int i = 0; i < LANES; i++) all = all && range->most[i] - range->least[i] <= FLT_MAX;
    return all;
}

/* Sorts the columns that the lanes hold, from column c on. */
static void sort_columns(const Sorted *at, int64_t c)
{
    Range range;
    bool sorted = find_range(at, &range) && has_ranges(&range);
    if (sorted) {
        make_keys(at, &range);
        at->isa->sort(at->angle_count, at->key);
        sorted = take_values(at);
    }
    if (!sorted) sort_by_digits(at);
    keep_columns(at, c);
}

/* ---- medians ---- */

/* The values of ranks v·LANES / width … of a column, which may be a mirror of one. */
SINO_INLINE const float *line_of(const Sorted *at, int64_t c, int64_t v)
{
    return at->sorted + sino_stripes_mirrored(c, at->column_count) % at->held * at->column_values + v * LANES;
}

/* Medians of columns c … end − 1, each over columns c − size/2 … c − size/2 + size − 1. The windows are those of column
 * c; for column 0 they are made. */
SINO_VECTORISED static void find_medians(const Sorted *at, int64_t first, int64_t end)
{
    const int64_t size = at->size, before = size / 2;
    for (int64_t v = 0; v < at->column_values / LANES; v++) {
        float *window = at->window + v * (size + 1) * LANES;
        for (int64_t w = 0; first == 0 && w < size; w++)
            memcpy(window + w * LANES, line_of(at, w - before, v), LANES * sizeof *window);
        if (first == 0) {
            for (int i = 0; i < LANES; i++) window[size * LANES + i] = INFINITY;
            sino_stripes_sort_window(size, window);
        }
        for (int64_t c = first; c < end; c++) {
            memcpy(at->median + (c - first) * at->column_values + v * LANES, window + before * LANES,
                   LANES * sizeof *window);
            if (c + 1 < at->column_count)
                sino_stripes_replace(size, line_of(at, c - before, v), line_of(at, c - before + size, v), window);
        }
    }
}

/* Puts medians back to the angles of the values that they replace, in the lanes from column c on. */
static void put_back(const Sorted *at, int64_t c, const float *medians)
{
    for (int64_t j = 0; j < columns_together(at, c); j++) {
        const uint16_t *angle = at->angle + (c + j) % at->held * at->column_values;
        const float *median = medians + j * at->column_values;
        float *to = at->values + j * at->width;
        for (int64_t r = 0; r < at->angle_count; r++)
            for (int64_t f = 0; f < at->width; f++)
                to[(int64_t)angle[r * at->width + f] * LANES + f] = median[r * at->width + f];
    }
}

/* ---- */

/* The same with the lanes of part b of the stage. */
static Sorted part_of(const Sorted *at, int64_t b)
{
    Sorted part = *at;
    part.values = at->stage + b * at->angle_count * LANES;
    return part;
}

/* Reads and sorts the lanes from column c on; returns the column behind them. */
static int64_t sort_stage(const Sorted *at, SinoPrecision precision, int64_t c, const void *panel)
{
    const int64_t together = at->together, blocks = lane_blocks(at, c);
    if (precision == SINO_DOUBLE)
        gather_double(at, c, panel);
    else
        gather_float(at, c, panel);
    for (int64_t b = 0; b < blocks; b++) {
        const Sorted part = part_of(at, b);
        sort_columns(&part, c + b * together);
    }
    return c + blocks * together;
}

/* Puts medians back in the lanes from column c on, and writes them; returns the column behind them. */
static int64_t put_back_stage(const Sorted *at, SinoPrecision precision, int64_t c, const float *medians, void *panel)
{
    const int64_t together = at->together, blocks = lane_blocks(at, c);
    for (int64_t b = 0; b < blocks; b++) {
        const Sorted part = part_of(at, b);
        put_back(&part, c + b * together, medians + b * together * at->column_values);
    }
    if (precision == SINO_DOUBLE)
        scatter_double(at, c, panel);
    else
        scatter_float(at, c, panel);
    return c + blocks * together;
}

static void run_slices(const Sorted *at, SinoPrecision precision, void *panel)
{
    const int64_t columns = at->column_count, block = at->block;
    int64_t sorted = 0;
    for (int64_t first = 0; first < columns; first += block) {
        const int64_t end = sino_smaller(first + block, columns);
        while (sorted < sino_smaller(end + at->size - at->size / 2, columns))
            sorted = sort_stage(at, precision, sorted, panel);
        find_medians(at, first, end);
        for (int64_t c = first; c < end;)
            c = put_back_stage(at, precision, c, at->median + (c - first) * at->column_values, panel);
    }
}

bool sino_stripes_sorted_run(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, void *scratch,
                             void *panel)
{
    int64_t bytes = 0;
    assert(scratch);
    if (has_undefined(options, slices, place, panel)) return false;
    Sorted at = divide(options, sino_smaller(slices.stride, LANES), scratch, &bytes);
    at.place = place;
    at.stride = slices.stride;
    at.row_values = options->column_count * slices.stride;
    at.isa = this_isa();
    assert(LANES % at.width == 0);
    for (at.first = 0; at.first < slices.slice_count; at.first += at.width) {
        at.active = sino_smaller(at.width, slices.slice_count - at.first);
        run_slices(&at, slices.precision, panel);
    }
    return true;
}
