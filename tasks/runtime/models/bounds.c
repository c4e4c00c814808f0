/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds: times that no schedule of measured tasks can beat.
 *
 * Area bound: minimise T, where x[k][a] tasks of kind k run on type a: Σ_a x[k][a] = n[k], Σ_k x[k][a]·t[k][a] ≤
 * w[a]·T. Dual: maximise Σ_k n[k]·min_a(p[a]·t[k][a]/w[a]) over prices p ≥ 0 with Σ p = 1, a concave function. */
#include "models.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

SinoStatus sino_critical_path(const SinoTaskTimes *tasks, SinoChain *chain)
{
    double *until = NULL; /* the time of the longest chain that ends with each task */
    chain->seconds = 0;
    chain->last = -1;
    chain->before = NULL;
    SINO_TRY(sino_allocate(tasks->count, sizeof *until, "the critical path", &until));
    SinoStatus status = sino_allocate(tasks->count, sizeof *chain->before, "the critical path", &chain->before);
    for (int64_t t = 0; !status && t < tasks->count; t++) {
        double longest = 0;
        chain->before[t] = -1;
        for (uint32_t e = tasks->first_edge[t]; e < tasks->first_edge[t + 1]; e++) {
            const uint32_t from = tasks->edge[e];
            if (until[from] <= longest) continue;
            longest = until[from];
            chain->before[t] = from;
        }
        until[t] = longest + tasks->seconds[t];
        if (until[t] <= chain->seconds) continue;
        chain->seconds = until[t];
        chain->last = t;
    }
    free(until);
    return status;
}

typedef struct Area {
    int64_t kind_count;
    const SinoKindTimes *kind;
    const int64_t *workers;
} Area;

static double value_of(const Area *area, const double price[SINO_BOUND_TYPES])
{
    double sum = 0;
    for (int64_t k = 0; k < area->kind_count; k++) {
        double least = INFINITY;
        for (int a = 0; a < SINO_BOUND_TYPES; a++)
            if (area->workers[a] > 0 && area->kind[k].mean_s[a] > 0)
                least = fmin(least, price[a] * area->kind[k].mean_s[a] / (double)area->workers[a]);
        if (isfinite(least)) sum += area->kind[k].count * least;
    }
    return sum;
}

/* The best value with the first `given` prices as they are: what they leave of 1 is divided among the other types. The
 * function is concave, so thirds of the range that do not hold the maximum are cut off. */
static double best_value(const Area *area, int given, double left, double price[SINO_BOUND_TYPES])
{
    const int rounds = 60; /* (2/3)^60 < 10^-10 */
    if (given == SINO_BOUND_TYPES - 1) {
        price[given] = left;
        return value_of(area, price);
    }
    double low = 0, high = area->workers[given] > 0 ? left : 0, best = 0;
    for (int i = 0; i < rounds; i++) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        price[given] = a;
        const double at_a = best_value(area, given + 1, left - a, price);
        price[given] = b;
        const double at_b = best_value(area, given + 1, left - b, price);
        best = fmax(best, fmax(at_a, at_b));
        if (at_a < at_b)
            low = a;
        else
            high = b;
    }
    const double ends[] = {low, high};
    for (int i = 0; i < 2; i++) {
        price[given] = ends[i];
        best = fmax(best, best_value(area, given + 1, left - ends[i], price));
    }
    return best;
}

double sino_area_bound(int64_t kind_count, const SinoKindTimes *kind, const int64_t workers[SINO_BOUND_TYPES])
{
    const Area area = {kind_count, kind, workers};
    double price[SINO_BOUND_TYPES];
    return best_value(&area, 0, 1, price);
}
