/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by pairs: the mirror image of a projection about the axis is the projection half a turn later. */
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

/* Sums over pairs: of products of their differences from the mean, and of the squares of these. */
typedef struct Covariance {
    double both, a, b;
} Covariance;

/* Adds those of pairs first_pair … end − 1 if the axis is at column t/2. Column c of a first projection is column t − c
 * of the second, which is column c + M − 1 − t of the reversed one. */
static void add_pairs(int64_t first_pair, int64_t end, int64_t columns, const float *first, const float *reversed,
                      int64_t t, Covariance *sums)
{
    const int64_t begin = sino_larger(0, t - columns + 1), count = sino_smaller(columns - 1, t) + 1 - begin;
    for (int64_t p = first_pair; p < end; p++) {
        const float *from = first + p * columns + begin, *to = reversed + p * columns + begin + columns - 1 - t;
        const Common sum = compare(count, from, to);
        sums->both += sum.ab - sum.a * sum.b / (double)count;
        sums->a += sum.aa - sum.a * sum.a / (double)count;
        sums->b += sum.bb - sum.b * sum.b / (double)count;
    }
}

static double correlation(const Covariance *sums)
{
    const double scale = sqrt(fmax(sums->a, 0) * fmax(sums->b, 0));
    return scale > 0 ? sums->both / scale : 0;
}

/* Correlations of half of the pairs each, and of all, which are compared once. */
static void correlate(int64_t pairs, int64_t columns, const float *first, const float *reversed, int64_t t,
                      double correlations[3])
{
    const int64_t half = pairs / 2;
    Covariance halves[2] = {{0}};
    for (int64_t i = 0; i < 2; i++) add_pairs(i * half, (i + 1) * half, columns, first, reversed, t, &halves[i]);
    Covariance all = {halves[0].both + halves[1].both, halves[0].a + halves[1].a, halves[0].b + halves[1].b};
    add_pairs(2 * half, pairs, columns, first, reversed, t, &all);
    correlations[0] = correlation(&all);
    for (int i = 0; i < 2; i++) correlations[1 + i] = correlation(&halves[i]);
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
    Covariance all = {0};
    add_pairs(0, pair_count, column_count, first, reversed, t, &all);
    *likeness = correlation(&all);
    free(reversed);
    return NULL;
}

/* The column of the largest of correlations[t − low], t = low … high: every third value. */
static double peak_of(int64_t low, int64_t high, const double *correlations, double *most)
{
    int64_t best = 0;
    for (int64_t i = 1; i <= high - low; i++)
        if (correlations[3 * i] > correlations[3 * best]) best = i;
    const double *at = correlations + 3 * best;
    const double offset = best > 0 && best < high - low ? peak_between(at[-3], at[0], at[3]) : 0;
    *most = *at;
    return ((double)(low + best) + offset) / 2;
}

SinoStatus sino_center_pairs(int64_t pair_count, int64_t column_count, const float *first, const float *second,
                             double center[3], double *likeness)
{
    SinoStatus status = NULL;
    float *reversed = NULL;
    double *correlations = NULL, ignored;
    const int64_t low = least_common(column_count) - 1, high = 2 * (column_count - 1) - low;
    SINO_TRY_OR(status, cleanup,
                sino_allocate(sino_times(pair_count, column_count), sizeof *reversed, "projections", &reversed));
    SINO_TRY_OR(status, cleanup,
                sino_allocate(sino_times(3, high - low + 1), sizeof *correlations, "correlations", &correlations));
    reverse_rows(pair_count, column_count, second, reversed);
    for (int64_t t = low; t <= high; t++)
        correlate(pair_count, column_count, first, reversed, t, correlations + 3 * (t - low));
    for (int i = 0; i < 3; i++) center[i] = peak_of(low, high, correlations + i, i == 0 ? likeness : &ignored);
cleanup:
    free(reversed);
    free(correlations);
    return status;
}
