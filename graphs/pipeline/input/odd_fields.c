/* SPDX-License-Identifier: BSD-3-Clause */
/* Odd fields: dark fields that have light, and flat fields that have none. */
#include "flat_sets.h"

#include "memory.h"
#include "sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The median of the finite values, of an even number the lower or the upper one of the middle two; NaN if there are
 * none. Reorders the values. */
static double median_of(int64_t count, double *value, bool upper)
{
    const int64_t kept = sino_sort_finite(count, value);
    return kept > 0 ? value[upper ? kept / 2 : (kept - 1) / 2] : NAN;
}

/* The same of levels, which keep their order. */
static double level_of(int64_t count, const double *level, bool upper, double *scratch)
{
    memcpy(scratch, level, (size_t)count * sizeof *level);
    return median_of(count, scratch, upper);
}

static void find_odd_flats(int64_t count, const double *level, double dark, double *scratch, bool *odd)
{
    const double least = 0.25, light = level_of(count, level, true, scratch) - dark;
    for (int64_t i = 0; i < count; i++) odd[i] = light > 0 && level[i] - dark < least * light;
}

static void find_odd(const SinoFlatSets *sets, int64_t flats, const double *flat_level, int64_t darks,
                     const double *dark_level, double *scratch, bool *odd_flat, bool *odd_dark)
{
    const double most = 0.1, dark = darks > 0 ? level_of(darks, dark_level, false, scratch) : 0;
    const double light = level_of(flats, flat_level, true, scratch) - dark;
    const int64_t set_count = sino_larger(sets->count, 1);
    for (int64_t i = 0; i < darks; i++) odd_dark[i] = light > 0 && dark_level[i] - dark > most * light;
    for (int64_t s = 0; s < set_count; s++) {
        const int64_t first = s > 0 ? sets->end[s - 1] : 0, end = sets->count > 0 ? sets->end[s] : flats;
        find_odd_flats(end - first, flat_level + first, dark, scratch, odd_flat + first);
    }
}

SinoStatus sino_odd_fields(const SinoFlatSets *sets, int64_t flats, const double *flat_level, int64_t darks,
                           const double *dark_level, bool *odd_flat, bool *odd_dark)
{
    double *scratch = NULL;
    SINO_TRY(sino_allocate(sino_larger(flats, darks), sizeof *scratch, "levels of fields", &scratch));
    find_odd(sets, flats, flat_level, darks, dark_level, scratch, odd_flat, odd_dark);
    free(scratch);
    return NULL;
}

/* The fields of one kind. */
typedef struct Fields {
    SinoStatus (*read)(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *counts);
    int64_t count;
    double *level; /* [count]; owned */
    bool *odd;     /* [count]; owned */
} Fields;

/* Most fields of both kinds that are looked at; values that are read together, which spares reading a chunk of several
 * fields more than once. */
enum { FIELDS = 4096, PIECE_VALUES = 1 << 20 };

/* A sample of the pixels of some fields. */
typedef struct Pixels {
    int64_t count, fields; /* pixels of a field; fields that are read together */
    float *stored;         /* [fields][count]; owned */
    double *sorted;        /* [count]; owned */
} Pixels;

static void take_level(const Pixels *pixels, const float *stored, double *level)
{
    for (int64_t p = 0; p < pixels->count; p++) pixels->sorted[p] = (double)stored[p];
    *level = median_of(pixels->count, pixels->sorted, false);
}

static SinoStatus measure(SinoScan *scan, const SinoScanBox *box, const Pixels *pixels, Fields *fields)
{
    if (fields->count == 0) return NULL;
    SINO_TRY(sino_allocate(fields->count, sizeof *fields->level, "levels of fields", &fields->level));
    SINO_TRY(sino_allocate(fields->count, sizeof *fields->odd, "odd fields", &fields->odd));
    for (int64_t i = 0; i < fields->count; i += pixels->fields) {
        const int64_t together = sino_smaller(pixels->fields, fields->count - i);
        SINO_TRY(fields->read(scan, i, together, box, pixels->stored));
        for (int64_t k = 0; k < together; k++)
            take_level(pixels, pixels->stored + sino_times(k, pixels->count), &fields->level[i + k]);
    }
    return NULL;
}

static SinoStatus measure_both(SinoScan *scan, const SinoScanBox *box, Fields *flats, Fields *darks)
{
    Pixels pixels = {.count = sino_times(box->row_count, box->column_count)};
    pixels.fields = sino_smaller(sino_larger(1, PIECE_VALUES / pixels.count), sino_larger(flats->count, darks->count));
    SinoStatus status = sino_allocate(sino_times(pixels.fields, pixels.count), sizeof *pixels.stored,
                                      "a sample of fields", &pixels.stored);
    if (!status) status = sino_allocate(pixels.count, sizeof *pixels.sorted, "a sample of fields", &pixels.sorted);
    if (!status) status = measure(scan, box, &pixels, flats);
    if (!status) status = measure(scan, box, &pixels, darks);
    free(pixels.stored);
    free(pixels.sorted);
    return status;
}

/* Ends of sets count the flat fields that stay. A set keeps its brightest fields at least. */
static void shrink_sets(const Fields *flats, SinoFlatSets *sets)
{
    int64_t kept = 0;
    for (int64_t i = 0, s = 0; i < flats->count && s < sets->count; i++) {
        kept += !flats->odd[i];
        if (i + 1 == sets->end[s]) sets->end[s++] = kept;
    }
}

static SinoStatus leave_out(SinoScan *scan, const Fields *fields, SinoScanField field)
{
    const bool dark = field == SINO_FIELD_DARKS;
    int64_t odd = 0, first = 0;
    char remark[200];
    for (int64_t i = fields->count - 1; i >= 0; i--) {
        odd += fields->odd[i];
        if (fields->odd[i]) first = i;
    }
    if (odd == 0) return NULL;
    snprintf(remark, sizeof remark,
             "%" PRId64 " of %" PRId64 " %s fields %s left out: number %" PRId64
             " %s (its median count is %.6g), unlike the others",
             odd, fields->count, dark ? "dark" : "flat", odd == 1 ? "is" : "are", first + 1,
             dark ? "has light" : "has no light", fields->level[first]);
    return sino_scan_leave_out(scan, field, fields->odd, remark);
}

static SinoStatus find_and_leave_out(SinoScan *scan, const SinoScanBox *box, Fields *flats, Fields *darks,
                                     SinoFlatSets *sets)
{
    SINO_TRY(measure_both(scan, box, flats, darks));
    SINO_TRY(sino_odd_fields(sets, flats->count, flats->level, darks->count, darks->level, flats->odd, darks->odd));
    SINO_TRY(leave_out(scan, flats, SINO_FIELD_FLATS));
    shrink_sets(flats, sets);
    return leave_out(scan, darks, SINO_FIELD_DARKS);
}

SinoStatus sino_odd_fields_leave_out(SinoScan *scan, const SinoScanBox *box, SinoFlatSets *sets)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    Fields flats = {.read = sino_scan_read_some_flats, .count = info->flat_count};
    Fields darks = {.read = sino_scan_read_some_darks, .count = info->dark_count};
    if (flats.count == 0 || flats.count + darks.count == 1 || flats.count + darks.count > FIELDS) return NULL;
    SinoStatus status = find_and_leave_out(scan, box, &flats, &darks, sets);
    free(flats.level);
    free(flats.odd);
    free(darks.level);
    free(darks.odd);
    return status;
}
