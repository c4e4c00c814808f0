/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers: medians of three angles, for all slices of a panel at once. */
#include "memory.h"
#include "undefined.h"
#include "vector.h"
#include "zingers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean distance of a normal deviate from the median of itself and two others, in standard deviations: 2/3 of the mean
 * gap of three, 3/(2√π). */
static const double mean_distance = 0.5641895835477563;
/* Distances above this many means do not count for the noise. */
static const float usual_most = 6;

enum { ROWS = 3 };

/* A panel, and arrays of one row of it, [column][stride]. */
typedef struct Lines {
    int64_t angle_count, column_count, stride;
    const int64_t *place, *order;
    float *noise, *number; /* sum of distances, and their number */
    float *limit;          /* distances that count for the noise; then the threshold */
    void *row[ROWS];       /* original values */
} Lines;

/* The number of the angle that is k-th in order. */
static int64_t angle_of(const Lines *lines, int64_t k)
{
    return lines->order ? lines->order[k] : k;
}

static int64_t row_of(const Lines *lines, int64_t k)
{
    const int64_t angle = angle_of(lines, k);
    return lines->place ? lines->place[angle] : angle;
}

/* Those beside the k-th angle; at an end the two next to it. */
static void neighbours(const Lines *lines, int64_t k, int64_t *a, int64_t *b)
{
    const int64_t last = lines->angle_count - 1;
    *a = k == 0 ? 2 : k - 1;
    *b = k == last ? last - 2 : k + 1;
}

/* Per type, so that whole registers of it are compared: the median (fmin would not be vectorised). */
#define DEFINE_TOOLS(type, bits)                                                                                       \
    SINO_INLINE type median_##type(type a, type b, type c)                                                             \
    {                                                                                                                  \
        const type low = a < b ? a : b, high = a < b ? b : a, middle = high < c ? high : c;                            \
        return low > middle ? low : middle;                                                                            \
    }                                                                                                                  \
    SINO_INLINE bits one_undefined_##type(type a, type b, type c)                                                      \
    {                                                                                                                  \
        return sino_is_undefined_##type(a) | sino_is_undefined_##type(b) | sino_is_undefined_##type(c);                \
    }

DEFINE_TOOLS(float, uint32_t)
DEFINE_TOOLS(double, uint64_t)

/* Adds the distances of a row that are at most `limit`. */
#define DEFINE_MEASURE(type)                                                                                           \
    SINO_VECTORISED static void measure_##type(int64_t count, const type *a, const type *here, const type *b,          \
                                               const float *limit, float *noise, float *number)                        \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const type middle = median_##type(a[i], here[i], b[i]);                                                    \
            const float distance = (float)(here[i] < middle ? middle - here[i] : here[i] - middle);                    \
            const bool counts = !one_undefined_##type(a[i], here[i], b[i]) & (distance <= limit[i]);                   \
            noise[i] += counts ? distance : 0;                                                                         \
            number[i] += counts ? 1 : 0;                                                                               \
        }                                                                                                              \
    }

/* Replaces the zingers of a row, whose original values are `here`; returns their number. */
#define DEFINE_REPLACE(type)                                                                                           \
    SINO_VECTORISED static int64_t replace_##type(int64_t count, const type *a, const type *here, const type *b,       \
                                                  const float *threshold, bool marked, type *to)                       \
    {                                                                                                                  \
        int64_t found = 0;                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const type middle = median_##type(a[i], here[i], b[i]);                                                    \
            const bool below = middle - here[i] > (type)threshold[i];                                                  \
            const bool zinger = !one_undefined_##type(a[i], here[i], b[i]) & below;                                    \
            const type instead = marked ? -(type)0 : middle;                                                           \
            to[i] = zinger ? instead : here[i];                                                                        \
            found += zinger;                                                                                           \
        }                                                                                                              \
        return found;                                                                                                  \
    }

DEFINE_MEASURE(float)
DEFINE_MEASURE(double)
DEFINE_REPLACE(float)
DEFINE_REPLACE(double)

static const void *row_from(const Lines *lines, SinoPrecision precision, const void *panel, int64_t k)
{
    const int64_t at = row_of(lines, k) * lines->column_count * lines->stride;
    return (const char *)panel + (size_t)at * sino_precision_bytes(precision);
}

static void measure(const Lines *lines, SinoPrecision precision, const void *panel)
{
    const int64_t count = lines->column_count * lines->stride;
    memset(lines->noise, 0, (size_t)count * sizeof *lines->noise);
    memset(lines->number, 0, (size_t)count * sizeof *lines->number);
    for (int64_t k = 0; k < lines->angle_count; k++) {
        int64_t a, b;
        neighbours(lines, k, &a, &b);
        const void *before = row_from(lines, precision, panel, a), *after = row_from(lines, precision, panel, b);
        const void *here = row_from(lines, precision, panel, k);
        if (precision == SINO_DOUBLE)
            measure_double(count, before, here, after, lines->limit, lines->noise, lines->number);
        else
            measure_float(count, before, here, after, lines->limit, lines->noise, lines->number);
    }
}

/* The threshold of each column and slice, in lines->limit. Padding has none. */
static void find_thresholds(const Lines *lines, SinoSlices slices, const SinoZingers *zingers, const void *panel)
{
    const int64_t count = lines->column_count * lines->stride;
    for (int64_t i = 0; i < count; i++) lines->limit[i] = INFINITY;
    measure(lines, slices.precision, panel);
    for (int64_t i = 0; i < count; i++) lines->limit[i] = usual_most * lines->noise[i] / fmaxf(lines->number[i], 1);
    measure(lines, slices.precision, panel);
    for (int64_t i = 0; i < count; i++) {
        const double deviation = (double)lines->noise[i] / fmax((double)lines->number[i], 1) / mean_distance;
        const bool padding = i % lines->stride >= slices.slice_count;
        lines->limit[i] = padding ? INFINITY : (float)fmax(zingers->level * deviation, zingers->least);
    }
}

static void load(const Lines *lines, SinoPrecision precision, const void *panel, int64_t k, void *to)
{
    const int64_t count = lines->column_count * lines->stride;
    memcpy(to, row_from(lines, precision, panel, k), (size_t)count * sino_precision_bytes(precision));
}

static int64_t replace(const Lines *lines, SinoPrecision precision, bool marked, int64_t k, const void *a,
                       const void *here, const void *b, void *panel)
{
    const int64_t count = lines->column_count * lines->stride;
    void *row = (char *)panel + ((const char *)row_from(lines, precision, panel, k) - (const char *)panel);
    if (precision == SINO_DOUBLE) return replace_double(count, a, here, b, lines->limit, marked, row);
    return replace_float(count, a, here, b, lines->limit, marked, row);
}

static bool is_marked(SinoPrecision precision, const void *row, int64_t i)
{
    return precision == SINO_DOUBLE ? sino_is_undefined_double(((const double *)row)[i])
                                    : sino_is_undefined_float(((const float *)row)[i]);
}

/* Counts what became undefined in row k, whose original values are `here`. */
static void count_row(const Lines *lines, const SinoPanel *at, int64_t uncounted, const void *panel, int64_t k,
                      const void *here, int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    const SinoPrecision precision = at->slices.precision;
    const void *now = row_from(lines, precision, panel, k);
    for (int64_t c = 0; c < lines->column_count; c++)
        for (int64_t f = 0; f < at->slices.slice_count; f++) {
            const int64_t i = c * lines->stride + f;
            if (is_marked(precision, here, i) || !is_marked(precision, now, i) || at->first + f < uncounted) continue;
            undefined[at->first + f]++;
            by_angle[angle_of(lines, k)]++;
            by_column[c]++;
        }
}

static void remove_from_panel(const SinoZingers *zingers, const Lines *lines, const SinoPanel *at, void *panel,
                              int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    const SinoPrecision precision = at->slices.precision;
    const int64_t last = lines->angle_count - 1;
    void *before = lines->row[0], *here = lines->row[1], *beside_last = lines->row[2];
    find_thresholds(lines, at->slices, zingers, panel);
    load(lines, precision, panel, 2, before); /* beside the first angle */
    load(lines, precision, panel, last - 2, beside_last);
    for (int64_t k = 0; k <= last; k++) {
        load(lines, precision, panel, k, here);
        const void *after = k < last ? row_from(lines, precision, panel, k + 1) : beside_last;
        const int64_t found = replace(lines, precision, zingers->marked, k, before, here, after, panel);
        if (zingers->marked && found > 0)
            count_row(lines, at, zingers->uncounted, panel, k, here, undefined, by_angle, by_column);
        void *swapped = before;
        before = here;
        here = swapped;
    }
}

SinoStatus sino_zingers_remove(const SinoZingers *zingers, SinoSlices slices, const int64_t *place, void *sinogram,
                               int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    enum { FLOATS = 3 };
    const int64_t rays = zingers->angle_count * zingers->column_count;
    const int64_t most = sino_times(zingers->column_count, SINO_PANEL_MAX);
    float *floats = NULL;
    double *rows = NULL;
    SinoStatus status = NULL;
    if (zingers->angle_count < 3) return NULL;
    SINO_TRY_OR(status, end, sino_allocate(sino_times(FLOATS, most), sizeof *floats, "rows of a sinogram", &floats));
    SINO_TRY_OR(status, end, sino_allocate(sino_times(ROWS, most), sizeof *rows, "rows of a sinogram", &rows));
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const Lines lines = {.angle_count = zingers->angle_count,
                             .column_count = zingers->column_count,
                             .stride = at.slices.stride,
                             .place = place,
                             .order = zingers->order,
                             .noise = floats,
                             .number = floats + most,
                             .limit = floats + 2 * most,
                             .row = {rows, rows + most, rows + 2 * most}};
        remove_from_panel(zingers, &lines, &at, sino_panel_to(at, rays, sinogram), undefined, by_angle, by_column);
    }
end:
    free(floats);
    free(rows);
    return status;
}

int64_t sino_zingers_count(int64_t column_count, const float *before, const float *here, const float *after,
                           double least)
{
    const int64_t reach = 2;
    const double ranges = 3;
    int64_t count = 0;
    for (int64_t c = reach; c < column_count - reach; c++) {
        double low = INFINITY, high = -INFINITY;
        bool defined = true;
        for (int64_t i = c - reach; i <= c + reach; i++) {
            low = fmin(low, fmin((double)before[i], (double)after[i]));
            high = fmax(high, fmax((double)before[i], (double)after[i]));
            defined &= !isnan(before[i]) & !isnan(after[i]);
        }
        count += defined && low - (double)here[c] > fmax(least, ranges * (high - low));
    }
    return count;
}
