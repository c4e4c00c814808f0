/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a sweep: quartiles, and comparisons of policies within repetitions. A value that is not known is NaN,
 * and is left out. */
#pragma once

#include <stdint.h>

/* NaN where there are no values. */
typedef struct SinoQuartiles {
    int64_t count; /* of the values that are known */
    double least, lower, median, upper, most;
} SinoQuartiles;

/* Sorts the values in place. Between two values a quartile is interpolated linearly: of n values the quantile p lies at
 * p (n − 1), counted from 0 (Hyndman and Fan's definition 7, as R and NumPy have it). */
SinoQuartiles sino_quartiles(int64_t count, double *value);

/* value[policy][repetition] are times. regret[policy][repetition] becomes time/(least time of the repetition) − 1, and
 * wins[policy] the number of repetitions in which the policy was fastest; of k policies that are equally fast each one
 * gets 1/k. Without a time: regret NaN, no win. */
void sino_paired_regret(int64_t policies, int64_t repetitions, const double *value, double *regret, double *wins);

/* Kendall's rank correlation of two series (tau-b), −1 to 1, over the pairs of which both values are known; NaN: one of
 * them is constant. */
double sino_rank_correlation(int64_t count, const double *a, const double *b);

/* Writes a random order of 0 … count − 1 (Fisher and Yates), the same on any machine for the same seed and stream. */
void sino_random_order(uint64_t seed, uint64_t stream, int64_t count, int64_t *order);
