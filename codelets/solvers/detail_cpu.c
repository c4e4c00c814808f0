/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: on a CPU core. */
#include "detail.h"

#include "arithmetic.h"
#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Radii of disks, and of what they are compared with, in radii. */
static const double radius[] = {2.5, 3.5, 5};
enum { RADII = sizeof radius / sizeof *radius, AROUND = 2 };

/* ∫ (chord of a disk of radius 1 − chord of the disk around it, of the same integral) · chord of the disk. */
static const double own_share = 2.293;

typedef struct Peak {
    float score; /* T/√m, in standard deviations */
    float lacks; /* contrast that x lacks */
    int32_t row, column, radius;
} Peak;

typedef struct Peaks {
    int64_t count, room;
    Peak *peak; /* owned */
} Peaks;

typedef struct Slice {
    int64_t size;
    const float *x, *m, *g;
    float *score;     /* [size²]; owned */
    double *line;     /* [2][padded]: sums of a row of g, and what it adds to others; owned */
    double deviation; /* of T/√m */
} Slice;

static double clamp(double value)
{
    return fmin(fmax(value, 0), 1);
}

/* Half the chord of a disk at distance d from its middle. */
static double half_chord(double r, double d)
{
    return sqrt(fmax(r * r - d * d, 0));
}

/* Voxels beside a row, from which the sums of the row go on. */
static int64_t padding(void)
{
    return (int64_t)ceil(AROUND * radius[RADII - 1]) + 2;
}

/* Adds `weight` times the sums of g over the voxels x − half … x + half to `to`. sum[i]: of the voxels before i. */
static void add_chord(int64_t size, const double *sum, double half, double weight, double *to)
{
    const double above = floor(half + 0.5), below = floor(0.5 - half);
    const double rest_above = half + 0.5 - above, rest_below = 0.5 - half - below;
    const double *high = sum + (int64_t)above, *low = sum + (int64_t)below;
    for (int64_t i = 0; i < size; i++)
        to[i] +=
            weight * (high[i] + rest_above * (high[i + 1] - high[i]) - low[i] - rest_below * (low[i + 1] - low[i]));
}

static void sum_row(const Slice *of, int64_t row, double *sum)
{
    const int64_t pad = padding();
    double total = 0;
    for (int64_t i = -pad; i < of->size + pad; i++) {
        sum[i] = total;
        if (i >= 0 && i < of->size) total += (double)of->g[row * of->size + i];
    }
}

/* Sets the score to T. */
static void sum_contrasts(const Slice *of, double r)
{
    const int64_t size = of->size, reach = (int64_t)floor(AROUND * r);
    double *sum = of->line + padding(), *to = sum + size + padding();
    double own = 0, around = 0;
    for (int64_t d = -reach; d <= reach; d++) {
        own += 2 * half_chord(r, (double)d);
        around += 2 * half_chord(AROUND * r, (double)d);
    }
    memset(of->score, 0, (size_t)(size * size) * sizeof *of->score);
    for (int64_t row = 0; row < size; row++) {
        sum_row(of, row, sum);
        for (int64_t d = 0; d <= reach; d++) {
            memset(to, 0, (size_t)size * sizeof *to);
            if ((double)d < r) add_chord(size, sum, half_chord(r, (double)d), 1, to);
            add_chord(size, sum, half_chord(AROUND * r, (double)d), -own / around, to);
            for (int64_t side = -1; side <= (d > 0 ? 1 : -1); side += 2) {
                float *score = of->score + (row + side * d) * size;
                if (row + side * d < 0 || row + side * d >= size) continue;
                for (int64_t i = 0; i < size; i++) score[i] += (float)to[i];
            }
        }
    }
}

/* Divides T by √m and by the root of the mean square, in the circle that disks do not leave; elsewhere 0. */
static void normalise(Slice *of, double r)
{
    const int64_t size = of->size;
    const double middle = 0.5 * (double)(size - 1), most = 0.5 * (double)size - AROUND * r;
    double square = 0, count = 0;
    for (int64_t y = 0; y < size; y++)
        for (int64_t x = 0; x < size; x++) {
            const bool inside = hypot((double)y - middle, (double)x - middle) <= most && of->m[y * size + x] > 0;
            float *score = &of->score[y * size + x];
            *score = inside ? *score / sqrtf(of->m[y * size + x]) : 0;
            square += (double)*score * (double)*score;
            count += inside;
        }
    of->deviation = square > 0 ? sqrt(square / count) : 1;
    for (int64_t i = 0; i < size * size; i++) of->score[i] /= (float)of->deviation;
}

/* Whether no score within a radius is larger. */
static bool is_peak(const Slice *of, double r, int64_t row, int64_t column)
{
    const int64_t size = of->size, reach = (int64_t)floor(r);
    const float here = fabsf(of->score[row * size + column]);
    for (int64_t y = sino_larger(row - reach, 0); y <= sino_smaller(row + reach, size - 1); y++)
        for (int64_t x = sino_larger(column - reach, 0); x <= sino_smaller(column + reach, size - 1); x++)
            if (fabsf(of->score[y * size + x]) > here) return false;
    return true;
}

/* The mean of an image over a disk. */
static double mean(int64_t size, const float *image, int64_t row, int64_t column, double r)
{
    const int64_t reach = (int64_t)ceil(r);
    double sum = 0, area = 0;
    for (int64_t y = sino_larger(row - reach, 0); y <= sino_smaller(row + reach, size - 1); y++)
        for (int64_t x = sino_larger(column - reach, 0); x <= sino_smaller(column + reach, size - 1); x++) {
            const double share = clamp(r + 0.5 - hypot((double)(y - row), (double)(x - column)));
            sum += share * (double)image[y * size + x];
            area += share;
        }
    return sum / area;
}

/* The share of what x lacks at a peak that s takes; 0: none. Shares change gradually with what x lacks and has. */
static double share_of(const Slice *of, const Peak *peak)
{
    static const double needed = 4, lacking = 2, kept = 1.5;
    const double r = radius[peak->radius], part = 1.0 / (AROUND * AROUND);
    const double has = (mean(of->size, of->x, peak->row, peak->column, r) -
                        mean(of->size, of->x, peak->row, peak->column, AROUND * r)) /
                       (1 - part);
    const double ratio = has / (double)peak->lacks, score = fabs((double)peak->score);
    return clamp(score * (1 + ratio) - needed) * clamp(score - lacking) * clamp(kept - ratio);
}

static SinoStatus add_peak(Peaks *peaks, const Peak *peak)
{
    if (peaks->count == peaks->room) {
        const int64_t room = sino_larger(2 * peaks->room, 256);
        Peak *more;
        SINO_TRY(sino_allocate(room, sizeof *more, "details", &more));
        if (peaks->count > 0) memcpy(more, peaks->peak, (size_t)peaks->count * sizeof *more);
        free(peaks->peak);
        peaks->peak = more;
        peaks->room = room;
    }
    peaks->peak[peaks->count++] = *peak;
    return NULL;
}

static SinoStatus add_peaks(const Slice *of, int32_t number, Peaks *peaks)
{
    static const float least = 2;
    const int64_t size = of->size;
    const double r = radius[number];
    for (int64_t i = 0; i < size * size; i++) {
        const float score = of->score[i];
        if (!(fabsf(score) > least) || !is_peak(of, r, i / size, i % size)) continue;
        Peak peak = {.score = score, .row = (int32_t)(i / size), .column = (int32_t)(i % size), .radius = number};
        peak.lacks = score * (float)(of->deviation / (own_share * r * r * r * sqrt((double)of->m[i])));
        if (share_of(of, &peak) > 0) SINO_TRY(add_peak(peaks, &peak));
    }
    return NULL;
}

/* Larger scores first. */
static int by_score(const void *one, const void *other)
{
    const Peak *a = one, *b = other;
    const float here = fabsf(a->score), there = fabsf(b->score);
    if (here != there) return here < there ? 1 : -1;
    return a->row != b->row ? a->row - b->row : a->column - b->column;
}

/* Adds a disk to s, unless another one is there. */
static void paint(const Slice *of, const Peak *peak, float *s)
{
    const int64_t size = of->size;
    const double r = radius[peak->radius];
    const int64_t reach = (int64_t)ceil(r), row = peak->row, column = peak->column;
    if (mean(size, s, row, column, r) != 0) return;
    const double value = share_of(of, peak) * (double)peak->lacks;
    for (int64_t y = sino_larger(row - reach, 0); y <= sino_smaller(row + reach, size - 1); y++)
        for (int64_t x = sino_larger(column - reach, 0); x <= sino_smaller(column + reach, size - 1); x++)
            s[y * size + x] += (float)(value * clamp(r + 0.5 - hypot((double)(y - row), (double)(x - column))));
}

static SinoStatus find(Slice *of, Peaks *peaks, float *s)
{
    const int64_t voxels = sino_times(of->size, of->size);
    SINO_TRY(sino_allocate(voxels, sizeof *of->score, "details", &of->score));
    SINO_TRY(sino_allocate(2 * (of->size + 2 * padding()), sizeof *of->line, "details", &of->line));
    for (int32_t i = 0; i < RADII; i++) {
        sum_contrasts(of, radius[i]);
        normalise(of, radius[i]);
        SINO_TRY(add_peaks(of, i, peaks));
    }
    if (peaks->count > 0) qsort(peaks->peak, (size_t)peaks->count, sizeof *peaks->peak, by_score);
    memset(s, 0, (size_t)voxels * sizeof *s);
    for (int64_t i = 0; i < peaks->count; i++) paint(of, &peaks->peak[i], s);
    return NULL;
}

SinoStatus sino_detail_find(int64_t size, const float *x, const float *m, float *g)
{
    Slice slice = {.size = size, .x = x, .m = m, .g = g};
    Peaks peaks = {0};
    SinoStatus status = find(&slice, &peaks, g);
    free(slice.score);
    free(slice.line);
    free(peaks.peak);
    return status;
}
