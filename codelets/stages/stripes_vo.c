/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, Vo's methods (Vo, Atwood, Drakopoulos 2018; the numbers of algorithms are those of the paper).
 *
 * All of them compare a column of the sinogram with its neighbours after both were sorted by value: what a column sees
 * over half a turn differs little from what the next one sees, only in other places. The sinogram lies as
 * [column][angle]. */
#include "arithmetic.h"
#include "stripes_private.h"
#include "stripes_window.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = SINO_STRIPES_LINE, DIGIT = 11, DIGITS = 1 << DIGIT };

enum { MEAN_WINDOW = SINO_STRIPES_MEAN_WINDOW, MARGIN = SINO_STRIPES_MARGIN };

/* Parts of `work`. */
typedef struct Work {
    float *sorted;                     /* [column][angle] */
    uint32_t *order;                   /* [column][angle]: angle of each sorted value */
    uint32_t *digits;                  /* of sino_stripes_sort_column */
    float *window;                     /* of the median: [size + 1][LINE], then the original values [size][LINE] */
    double *ratio, *smooth, *sequence; /* [column] */
    uint8_t *large;                    /* [column] */
} Work;

static int64_t largest_size(const SinoStripesOptions *options)
{
    return sino_larger(sino_stripes_sorting_size(options), sino_stripes_large_size(options));
}

int64_t sino_stripes_vo_floats(const SinoStripesOptions *options)
{
    const int64_t all = sino_stripes_whole_lines(sino_times(options->angle_count, options->column_count));
    const int64_t size = largest_size(options);
    return 2 * all + SINO_STRIPES_DIGITS_WORDS * sino_stripes_whole_lines(options->angle_count) +
           (2 * size + 2) * LINE + 7 * sino_stripes_whole_lines(options->column_count);
}

static Work divide(const SinoStripesOptions *options, float *floats)
{
    const int64_t all = sino_stripes_whole_lines(sino_times(options->angle_count, options->column_count));
    const int64_t angles = sino_stripes_whole_lines(options->angle_count),
                  columns = sino_stripes_whole_lines(options->column_count);
    const int64_t size = largest_size(options);
    Work work = {.sorted = floats, .order = (void *)(floats + all)};
    float *at = floats + 2 * all;
    work.digits = (void *)at;
    at += SINO_STRIPES_DIGITS_WORDS * angles;
    work.window = at;
    at += (2 * size + 2) * LINE;
    work.ratio = (void *)at;
    work.smooth = (void *)(at + 2 * columns);
    work.sequence = (void *)(at + 4 * columns);
    work.large = (void *)(at + 6 * columns);
    return work;
}

/* ---- sorting ---- */

/* Unsigned integers in the order of the floats. */
static uint32_t key_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static float value_of(uint32_t key)
{
    const uint32_t bits = key & 0x80000000 ? key & 0x7fffffff : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void sino_stripes_sort_column(int64_t count, const float *column, uint32_t *words, float *sorted, uint32_t *order)
{
    uint32_t start[3][DIGITS] = {{0}};
    uint32_t *const keys[2] = {words, words + count}, *const places[2] = {words + 2 * count, words + 3 * count};
    for (int64_t k = 0; k < count; k++) {
        const uint32_t key = key_of(column[k]);
        keys[0][k] = key;
        places[0][k] = (uint32_t)k;
        for (int d = 0; d < 3; d++) start[d][key >> (d * DIGIT) & (DIGITS - 1)]++;
    }
    for (int d = 0; d < 3; d++) {
        uint32_t sum = 0;
        for (int i = 0; i < DIGITS; i++) {
            const uint32_t here = start[d][i];
            start[d][i] = sum;
            sum += here;
        }
        const uint32_t *key = keys[d % 2], *place = places[d % 2];
        for (int64_t k = 0; k < count; k++) {
            const uint32_t to = start[d][key[k] >> (d * DIGIT) & (DIGITS - 1)]++;
            keys[1 - d % 2][to] = key[k];
            places[1 - d % 2][to] = place[k];
        }
    }
    for (int64_t k = 0; k < count; k++) {
        sorted[k] = value_of(keys[1][k]);
        order[k] = places[1][k];
    }
}

static void sort_columns(const SinoStripesOptions *options, const float *sinogram, const Work *work)
{
    const int64_t angles = options->angle_count;
    for (int64_t c = 0; c < options->column_count; c++)
        sino_stripes_sort_column(angles, sinogram + c * angles, work->digits, work->sorted + c * angles,
                                 work->order + c * angles);
}

/* ---- medians over neighbouring columns ---- */

static void load_line(const float *from, int64_t lanes, float *line)
{
    for (int64_t i = 0; i < LINE; i++) line[i] = i < lanes ? from[i] : 0;
}

/* `lanes` neighbouring angles, in place: each value becomes the median of columns c − size/2 … c − size/2 + size − 1.
 * A ring of originals keeps what the window takes out again. The window ends in +∞, which moves in as a value goes. */
SINO_VECTORISED static void median_line(int64_t column_count, int64_t angle_count, int64_t size, int64_t lanes,
                                        float *window, float *values)
{
    float *ring = window + (size + 1) * LINE;
    const int64_t before = size / 2;
    for (int i = 0; i < LINE; i++) window[size * LINE + i] = INFINITY;
    for (int64_t w = 0; w < size; w++)
        load_line(values + sino_stripes_mirrored(w - before, column_count) * angle_count, lanes, window + w * LINE);
    memcpy(ring, window, (size_t)(size * LINE) * sizeof *ring);
    sino_stripes_sort_window(size, window);
    for (int64_t c = 0; c < column_count; c++) {
        /* Column c leaves `values`; its original is in the ring as long as the window, or its mirror, needs it. */
        memcpy(values + c * angle_count, window + before * LINE, (size_t)lanes * sizeof *values);
        if (c + 1 == column_count) return;
        const int64_t next = c + 1 - before + size - 1;
        float new[LINE], *old = ring + c % size *LINE;
        if (next < column_count)
            load_line(values + next * angle_count, lanes, new);
        else /* the window of c has all columns that mirrors of the end can show */
            memcpy(new, ring + ((sino_stripes_mirrored(next, column_count) + before) % size) * LINE, sizeof new);
        sino_stripes_replace(size, old, new, window);
        memcpy(old, new, sizeof new);
    }
}

static void median_columns(const SinoStripesOptions *options, int64_t asked, const Work *work)
{
    const int64_t angles = options->angle_count, size = sino_stripes_fitting(asked, options->column_count);
    for (int64_t first = 0; first < angles; first += LINE)
        median_line(options->column_count, angles, size, sino_smaller(LINE, angles - first), work->window,
                    work->sorted + first);
}

/* The median of a sequence over `size` neighbours. */
static void median_sequence(int64_t count, int64_t asked, const double *from, float *window, double *to)
{
    const int64_t size = sino_stripes_fitting(asked, count);
    for (int64_t c = 0; c < count; c++) {
        int64_t held = 0;
        for (int64_t w = 0; w < size; w++) {
            const float value = (float)from[sino_stripes_mirrored(c - size / 2 + w, count)];
            int64_t at = held++;
            for (; at > 0 && window[at - 1] > value; at--) window[at] = window[at - 1];
            window[at] = value;
        }
        to[c] = (double)window[size / 2];
    }
}

/* ---- algorithm 3 ---- */

static void put_back(const SinoStripesOptions *options, const Work *work, int64_t column, float *sinogram)
{
    const int64_t angles = options->angle_count, at = column * angles;
    for (int64_t k = 0; k < angles; k++) sinogram[at + work->order[at + k]] = work->sorted[at + k];
}

static void sort_and_smooth(const SinoStripesOptions *options, int64_t size, const Work *work, float *sinogram)
{
    sort_columns(options, sinogram, work);
    median_columns(options, size, work);
    for (int64_t c = 0; c < options->column_count; c++) put_back(options, work, c, sinogram);
}

/* ---- algorithm 4 ---- */

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

typedef struct Line {
    double first, last; /* its values at the sequence's ends */
} Line;

/* Line through the central values of a sorted sequence. */
static Line fit_line(int64_t count, int64_t drop, const double *sequence)
{
    const int64_t used = count - 2 * drop - 1;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int64_t i = drop; i < drop + used; i++) {
        x += (double)i / (double)used;
        y += sequence[i] / (double)used;
    }
    for (int64_t i = drop; i < drop + used; i++) {
        xx += ((double)i - x) * ((double)i - x);
        xy += ((double)i - x) * (sequence[i] - y);
    }
    const double slope = xx > 0 ? xy / xx : 0, first = y - slope * x;
    return (Line){first, first + slope * (double)(count - 1)};
}

/* found[c]: whether the column's ratio stands out of the others'; neighbours are found with it. */
static void find_outstanding(int64_t count, double snr, const double *ratio, double *sequence, uint8_t *found)
{
    const int64_t drop = sino_stripes_dropped_columns(count);
    memset(found, 0, (size_t)count);
    if (count - 2 * drop - 1 < 2) return;
    memcpy(sequence, ratio, (size_t)count * sizeof *sequence);
    qsort(sequence, (size_t)count, sizeof *sequence, descending);
    const Line line = fit_line(count, drop, sequence);
    const double noise = fmax(fabs(line.last - line.first), SINO_STRIPES_LEAST_NOISE);
    const bool high = fabs(sequence[0] - line.first) >= snr * noise;
    const bool low = fabs(sequence[count - 1] - line.last) >= snr * noise;
    const double above = high ? line.first + noise * snr * SINO_STRIPES_THRESHOLD_SHARE : INFINITY;
    const double below = low ? line.last - noise * snr * SINO_STRIPES_THRESHOLD_SHARE : -INFINITY;
    bool before = false;
    for (int64_t c = 0; c < count; c++) {
        const bool here = ratio[c] > above || ratio[c] <= below;
        const bool after = c + 1 < count && (ratio[c + 1] > above || ratio[c + 1] <= below);
        found[c] = before || here || after;
        before = here;
    }
}

static void divide_by_smooth(int64_t count, const double *smooth, double *ratio)
{
    for (int64_t c = 0; c < count; c++) ratio[c] = smooth[c] != 0 ? ratio[c] / smooth[c] : 1;
}

/* ---- algorithm 5 ---- */

/* The mean of each sorted column without its ends. */
static void mean_columns(const SinoStripesOptions *options, const float *sorted, double *mean)
{
    const int64_t angles = options->angle_count, drop = sino_stripes_dropped_angles(angles);
    for (int64_t c = 0; c < options->column_count; c++) {
        double sum = 0;
        for (int64_t k = drop; k < angles - drop; k++) sum += (double)sorted[c * angles + k];
        mean[c] = sum / (double)(angles - 2 * drop);
    }
}

SINO_VECTORISED static void scale_column(int64_t count, float factor, float *column)
{
    for (int64_t k = 0; k < count; k++) column[k] *= factor;
}

/* Divides columns by their sensitivity, and replaces those that stand out by their neighbours' medians. */
static void remove_large(const SinoStripesOptions *options, const Work *work, float *sinogram)
{
    const int64_t angles = options->angle_count, columns = options->column_count;
    sort_columns(options, sinogram, work);
    mean_columns(options, work->sorted, work->ratio);
    median_columns(options, sino_stripes_large_size(options), work);
    mean_columns(options, work->sorted, work->smooth);
    divide_by_smooth(columns, work->smooth, work->ratio);
    find_outstanding(columns, options->snr, work->ratio, work->sequence, work->large);
    for (int64_t c = 0; c < columns; c++) {
        const bool usable = work->ratio[c] > 0; /* the order of values stays */
        if (usable) scale_column(angles, (float)(1 / work->ratio[c]), sinogram + c * angles);
        if (work->large[c]) put_back(options, work, c, sinogram);
    }
}

/* ---- algorithm 6 ---- */

/* By distances from the running mean over angles k − 5 … k + 4. */
static double fluctuation(int64_t count, const float *column)
{
    double mean = 0, sum = 0, magnitudes = 0;
    for (int64_t i = -MEAN_WINDOW / 2; i < MEAN_WINDOW / 2; i++)
        mean += (double)column[sino_stripes_mirrored(i, count)];
    for (int64_t k = 0; k < count; k++) {
        sum += fabs((double)column[k] - mean / MEAN_WINDOW);
        magnitudes += fabs((double)column[k]);
        mean += (double)column[sino_stripes_mirrored(k + MEAN_WINDOW / 2, count)] -
                (double)column[sino_stripes_mirrored(k - MEAN_WINDOW / 2, count)];
    }
    return sino_stripes_fluctuation(sum, magnitudes);
}

void sino_stripes_interpolate(int64_t angle_count, int64_t angle_step, int64_t column_count, int64_t column_step,
                              const uint8_t *dead, float *sinogram)
{
    for (int64_t left = 0, right = 1; right < column_count; right++) {
        if (dead[right]) continue;
        const float *from = sinogram + left * column_step, *to = sinogram + right * column_step;
        for (int64_t c = left + 1; c < right; c++) {
            const float share = (float)(c - left) / (float)(right - left);
            float *const at = sinogram + c * column_step;
            for (int64_t k = 0; k < angle_count * angle_step; k += angle_step)
                at[k] = (1 - share) * from[k] + share * to[k];
        }
        left = right;
    }
}

static void remove_dead(const SinoStripesOptions *options, const Work *work, float *sinogram, uint8_t *dead)
{
    const int64_t angles = options->angle_count, columns = options->column_count;
    for (int64_t c = 0; c < columns; c++) work->ratio[c] = fluctuation(angles, sinogram + c * angles);
    median_sequence(columns, sino_stripes_large_size(options), work->ratio, work->window, work->smooth);
    divide_by_smooth(columns, work->smooth, work->ratio);
    find_outstanding(columns, options->snr, work->ratio, work->sequence, dead);
    for (int64_t c = 0; c < MARGIN && c < columns; c++) dead[c] = dead[columns - 1 - c] = 0;
    sino_stripes_interpolate(angles, 1, columns, angles, dead, sinogram);
}

/* ---- */

void sino_stripes_vo_run(const SinoStripesOptions *options, bool all, float *floats, float *sinogram, uint8_t *dead)
{
    const Work work = divide(options, floats);
    if (all) {
        remove_dead(options, &work, sinogram, dead);
        remove_large(options, &work, sinogram);
    }
    sort_and_smooth(options, sino_stripes_sorting_size(options), &work, sinogram);
}
