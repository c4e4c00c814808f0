/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by pairs: the mirror image of a projection about the axis is the projection half a turn later. */
#include "arithmetic.h"
#include "center.h"
#include "memory.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>

/* The least number of columns in common, and their share of all columns. */
static const double least_share = 0.05;
enum { LEAST_COLUMNS = 8 };

/* Sums over the columns that both projections of a pair see. */
typedef struct Common {
    double a, b, aa, bb, ab;
} Common;

SINO_VECTORISED static Common compare(int64_t count, const float *first, const float *reversed)
{
    Common sum = {0};
    for (int64_t c = 0; c < count; c++) {
        const double a = (double)first[c], b = (double)reversed[c];
        sum.a += a;
        sum.b += b;
        sum.aa += a * a;
        sum.bb += b * b;
        sum.ab += a * b;
    }
    return sum;
}

/* Correlation of all pairs if the axis is at column t/2. Column c of a first projection is column t − c of the second,
 * which is column c + M − 1 − t of the reversed one. */
static double correlation(int64_t pairs, int64_t columns, const float *first, const float *reversed, int64_t t)
{
    const int64_t begin = sino_larger(0, t - columns + 1), end = sino_smaller(columns - 1, t) + 1, count = end - begin;
    double both = 0, a = 0, b = 0;
    for (int64_t p = 0; p < pairs; p++) {
        const float *from = first + p * columns + begin, *to = reversed + p * columns + begin + columns - 1 - t;
        const Common sum = compare(count, from, to);
        both += sum.ab - sum.a * sum.b / (double)count;
        a += sum.aa - sum.a * sum.a / (double)count;
        b += sum.bb - sum.b * sum.b / (double)count;
    }
    const double scale = sqrt(fmax(a, 0) * fmax(b, 0));
    return scale > 0 ? both / scale : 0;
}

/* Where the parabola through three neighbours is largest, in steps from the middle one. */
static double peak_between(double before, double here, double after)
{
    const double bend = before - 2 * here + after;
    return bend < 0 ? (before - after) / (2 * bend) : 0;
}

static void reverse_rows(int64_t rows, int64_t columns, const float *from, float *to)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) to[r * columns + c] = from[r * columns + columns - 1 - c];
}

/* Columns that a pair must have in common. */
static int64_t least_common(int64_t column_count)
{
    return sino_smaller(column_count, sino_larger(LEAST_COLUMNS, (int64_t)ceil(least_share * (double)column_count)));
}

SinoStatus sino_center_pairs_likeness(int64_t pair_count, int64_t column_count, const float *first, const float *second,
                                      double center, double *likeness)
{
    float *reversed;
    const int64_t low = least_common(column_count) - 1, t = (int64_t)round(2 * center);
    *likeness = 0;
    if (t < low || t > 2 * (column_count - 1) - low) return NULL;
    SINO_TRY(sino_allocate(sino_times(pair_count, column_count), sizeof *reversed, "projections", &reversed));
    reverse_rows(pair_count, column_count, second, reversed);
    *likeness = correlation(pair_count, column_count, first, reversed, t);
    free(reversed);
    return NULL;
}

SinoStatus sino_center_pairs(int64_t pair_count, int64_t column_count, const float *first, const float *second,
                             double *center, double *likeness)
{
    float *reversed;
    const int64_t least = least_common(column_count);
    SINO_TRY(sino_allocate(sino_times(pair_count, column_count), sizeof *reversed, "projections", &reversed));
    reverse_rows(pair_count, column_count, second, reversed);
    const int64_t low = least - 1, high = 2 * (column_count - 1) - low;
    int64_t best = low;
    double most = -INFINITY;
    for (int64_t t = low; t <= high; t++) {
        const double here = correlation(pair_count, column_count, first, reversed, t);
        if (here > most) {
            most = here;
            best = t;
        }
    }
    double offset = 0;
    if (best > low && best < high)
        offset = peak_between(correlation(pair_count, column_count, first, reversed, best - 1), most,
                              correlation(pair_count, column_count, first, reversed, best + 1));
    *center = ((double)best + offset) / 2;
    *likeness = most;
    free(reversed);
    return NULL;
}
