/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers: medians of three angles, for all slices of a panel at once. */
#include "arithmetic.h"
#include "memory.h"
#include "vector.h"
#include "zingers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean distance of a normal deviate from the median of itself and two others, in standard deviations: 2/3 of the mean
 * gap of three, 3/(2√π). */
static const double mean_distance = 0.5641895835477563;
/* Distances above this many means do not count for the noise. */
static const double usual_most = 6;

/* A panel, and arrays of one row of it, [column][stride]. */
typedef struct Lines {
    int64_t angle_count, column_count, stride;
    const int64_t *place;
    double *noise, *number; /* sum of distances and their number; then the threshold */
    double *before, *here;  /* original values of the angle before, and of this one */
} Lines;

static int64_t row_of(const Lines *lines, int64_t k)
{
    return lines->place ? lines->place[k] : k;
}

/* The angles beside k; at an end the two next to it. */
static void neighbours(const Lines *lines, int64_t k, int64_t *a, int64_t *b)
{
    const int64_t last = lines->angle_count - 1;
    *a = k == 0 ? 2 : k - 1;
    *b = k == last ? last - 2 : k + 1;
}

SINO_INLINE double median(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

SINO_INLINE bool is_undefined(double value)
{
    return value == 0 && signbit(value);
}

/* Adds the distances of a row, of which those above `most` times their mean so far do not count; most 0: all count. */
#define DEFINE_MEASURE(name, type)                                                                                     \
    SINO_VECTORISED static void name(int64_t count, const type *a, const type *here, const type *b,                    \
                                     const double *most, double *noise, double *number)                                \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const double x = (double)a[i], y = (double)here[i], z = (double)b[i];                                      \
            const double distance = fabs(y - median(x, y, z));                                                         \
            const bool counts = !is_undefined(x) && !is_undefined(y) && !is_undefined(z) && distance <= most[i];       \
            noise[i] += counts ? distance : 0;                                                                         \
            number[i] += counts ? 1 : 0;                                                                               \
        }                                                                                                              \
    }

#define DEFINE_LOAD(name, type)                                                                                        \
    SINO_VECTORISED static void name(int64_t count, const type *from, double *to)                                      \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) to[i] = (double)from[i];                                                   \
    }

/* Replaces the zingers of a row, whose original values are `here`, by `put(median)`; returns their number. */
#define DEFINE_REPLACE(name, type)                                                                                     \
    SINO_VECTORISED static int64_t name(int64_t count, const double *a, const double *here, const double *b,           \
                                        const double *threshold, bool marked, type *to)                                \
    {                                                                                                                  \
        int64_t found = 0;                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const double middle = median(a[i], here[i], b[i]);                                                         \
            const bool known = !is_undefined(a[i]) && !is_undefined(here[i]) && !is_undefined(b[i]);                   \
            const bool zinger = known && middle - here[i] > threshold[i];                                              \
            to[i] = zinger ? (marked ? -(type)0 : (type)middle) : to[i];                                               \
            found += zinger;                                                                                           \
        }                                                                                                              \
        return found;                                                                                                  \
    }

DEFINE_MEASURE(measure_single, float)
DEFINE_MEASURE(measure_double, double)
DEFINE_LOAD(load_single, float)
DEFINE_LOAD(load_double, double)
DEFINE_REPLACE(replace_single, float)
DEFINE_REPLACE(replace_double, double)

static const void *row_from(const Lines *lines, SinoPrecision precision, const void *panel, int64_t k)
{
    const int64_t at = row_of(lines, k) * lines->column_count * lines->stride;
    return (const char *)panel + (size_t)at * sino_precision_bytes(precision);
}

static void measure(const Lines *lines, SinoPrecision precision, const void *panel, const double *most)
{
    const int64_t count = lines->column_count * lines->stride;
    memset(lines->noise, 0, (size_t)count * sizeof(double));
    memset(lines->number, 0, (size_t)count * sizeof(double));
    for (int64_t k = 0; k < lines->angle_count; k++) {
        int64_t a, b;
        neighbours(lines, k, &a, &b);
        const void *before = row_from(lines, precision, panel, a), *after = row_from(lines, precision, panel, b);
        const void *here = row_from(lines, precision, panel, k);
        if (precision == SINO_DOUBLE)
            measure_double(count, before, here, after, most, lines->noise, lines->number);
        else
            measure_single(count, before, here, after, most, lines->noise, lines->number);
    }
}

/* The threshold of each column and slice, in lines->number. */
static void find_thresholds(const Lines *lines, SinoSlices slices, const void *panel, double level)
{
    const SinoPrecision precision = slices.precision;
    const int64_t count = lines->column_count * lines->stride;
    double *most = lines->before;
    for (int64_t i = 0; i < count; i++) most[i] = INFINITY;
    measure(lines, precision, panel, most);
    for (int64_t i = 0; i < count; i++) most[i] = usual_most * lines->noise[i] / fmax(lines->number[i], 1);
    measure(lines, precision, panel, most);
    for (int64_t i = 0; i < count; i++) {
        const double deviation = lines->noise[i] / fmax(lines->number[i], 1) / mean_distance;
        const bool padding = i % lines->stride >= slices.slice_count;
        lines->number[i] = padding ? INFINITY : fmax(level * deviation, SINO_ZINGERS_LEAST);
    }
}

static void load(const Lines *lines, SinoPrecision precision, const void *panel, int64_t k, double *to)
{
    const int64_t count = lines->column_count * lines->stride;
    if (precision == SINO_DOUBLE)
        load_double(count, row_from(lines, precision, panel, k), to);
    else
        load_single(count, row_from(lines, precision, panel, k), to);
}

static int64_t replace(const Lines *lines, SinoPrecision precision, bool marked, int64_t k, const double *a,
                       const double *here, const double *b, void *panel)
{
    const int64_t count = lines->column_count * lines->stride;
    void *row = (char *)panel + ((const char *)row_from(lines, precision, panel, k) - (const char *)panel);
    if (precision == SINO_DOUBLE) return replace_double(count, a, here, b, lines->number, marked, row);
    return replace_single(count, a, here, b, lines->number, marked, row);
}

/* Counts what became undefined in row k, whose original values are `here`. */
static void count_row(const Lines *lines, const SinoPanel *at, int64_t uncounted, const void *panel, int64_t k,
                      const double *here, double *now, int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    load(lines, at->slices.precision, panel, k, now);
    for (int64_t c = 0; c < lines->column_count; c++)
        for (int64_t f = 0; f < at->slices.slice_count; f++) {
            const int64_t i = c * lines->stride + f;
            if (is_undefined(here[i]) || !is_undefined(now[i]) || at->first + f < uncounted) continue;
            undefined[at->first + f]++;
            by_angle[k]++;
            by_column[c]++;
        }
}

static void remove_from_panel(const SinoZingers *zingers, const Lines *lines, const SinoPanel *at, double *after,
                              double *first, void *panel, int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    const SinoPrecision precision = at->slices.precision;
    double *before = lines->before, *here = lines->here;
    find_thresholds(lines, at->slices, panel, zingers->level);
    load(lines, precision, panel, lines->angle_count - 3, first); /* beside the last angle, before it changes */
    for (int64_t k = 0; k < lines->angle_count; k++) {
        int64_t a, b;
        neighbours(lines, k, &a, &b);
        load(lines, precision, panel, k, here);
        if (k == 0) load(lines, precision, panel, a, before);
        if (k + 1 < lines->angle_count) load(lines, precision, panel, b, after);
        const double *other = k + 1 < lines->angle_count ? after : first;
        const int64_t found = replace(lines, precision, zingers->marked, k, before, here, other, panel);
        if (zingers->marked && found > 0)
            count_row(lines, at, zingers->uncounted, panel, k, here, after, undefined, by_angle, by_column);
        double *swapped = before;
        before = here;
        here = swapped;
    }
}

SinoStatus sino_zingers_remove(const SinoZingers *zingers, SinoSlices slices, const int64_t *place, void *sinogram,
                               int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    enum { ARRAYS = 6 };
    const int64_t rays = zingers->angle_count * zingers->column_count;
    const int64_t most = sino_times(zingers->column_count, SINO_PANEL_MAX);
    double *memory;
    if (zingers->angle_count < 3) return NULL;
    SINO_TRY(sino_allocate(sino_times(ARRAYS, most), sizeof *memory, "rows of a sinogram", &memory));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const Lines lines = {.angle_count = zingers->angle_count,
                             .column_count = zingers->column_count,
                             .stride = at.slices.stride,
                             .place = place,
                             .noise = memory,
                             .number = memory + most,
                             .before = memory + 2 * most,
                             .here = memory + 3 * most};
        remove_from_panel(zingers, &lines, &at, memory + 4 * most, memory + 5 * most, sino_panel_to(at, rays, sinogram),
                          undefined, by_angle, by_column);
    }
    free(memory);
    return NULL;
}
