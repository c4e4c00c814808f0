/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a sweep: order statistics by sorting; random numbers of SplitMix64 (Steele, Lea and Flood, OOPSLA
 * 2014). */
#include "sweep.h"

#include "random_stream.h"
#include "sort.h"

#include <math.h>

/* The quantile p of sorted values. */
static double quantile(int64_t count, const double *sorted, double p)
{
    const double at = p * (double)(count - 1);
    const int64_t below = (int64_t)floor(at), above = (int64_t)ceil(at);
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

SinoQuartiles sino_quartiles(int64_t count, double *value)
{
    const int64_t known = sino_sort_finite(count, value);
    if (known == 0) return (SinoQuartiles){0, NAN, NAN, NAN, NAN, NAN};
    return (SinoQuartiles){.count = known,
                           .least = value[0],
                           .lower = quantile(known, value, 0.25),
                           .median = quantile(known, value, 0.5),
                           .upper = quantile(known, value, 0.75),
                           .most = value[known - 1]};
}

/* The least time of a repetition, and how many policies have it. NaN: none is known. */
static double find_best(int64_t policies, int64_t repetitions, const double *value, int64_t repetition, int64_t *equals)
{
    double best = NAN;
    *equals = 0;
    for (int64_t p = 0; p < policies; p++) best = fmin(best, value[p * repetitions + repetition]);
    for (int64_t p = 0; p < policies; p++) *equals += value[p * repetitions + repetition] <= best;
    return best;
}

void sino_paired_regret(int64_t policies, int64_t repetitions, const double *value, double *regret, double *wins)
{
    for (int64_t p = 0; p < policies; p++) wins[p] = 0;
    for (int64_t r = 0; r < repetitions; r++) {
        int64_t equals;
        const double best = find_best(policies, repetitions, value, r, &equals);
        for (int64_t p = 0; p < policies; p++) {
            const int64_t at = p * repetitions + r;
            regret[at] = value[at] / best - 1;
            if (value[at] <= best) wins[p] += 1 / (double)equals;
        }
    }
}

static int sign_of(double a, double b)
{
    return (a > b) - (a < b);
}

double sino_rank_correlation(int64_t count, const double *a, const double *b)
{
    double agree = 0, a_differs = 0, b_differs = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) {
            if (isnan(a[i]) || isnan(a[j]) || isnan(b[i]) || isnan(b[j])) continue;
            const int along_a = sign_of(a[i], a[j]), along_b = sign_of(b[i], b[j]);
            agree += along_a * along_b;
            a_differs += along_a != 0;
            b_differs += along_b != 0;
        }
    return a_differs > 0 && b_differs > 0 ? agree / sqrt(a_differs * b_differs) : NAN;
}

static uint64_t next_random(uint64_t *state)
{
    *state += sino_golden_gamma;
    return sino_random_hash(*state);
}

void sino_random_order(uint64_t seed, uint64_t stream, int64_t count, int64_t *order)
{
    uint64_t state = seed;
    state = next_random(&state) + stream;
    for (int64_t i = 0; i < count; i++) order[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = (int64_t)(next_random(&state) % (uint64_t)(i + 1));
        const int64_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
