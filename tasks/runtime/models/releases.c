/* SPDX-License-Identifier: BSD-3-Clause */
/* Releases: tasks that may begin from some moment on, as projections arrive, and how long after it they end. */
#include "models.h"

#include <math.h>

static void add_times(SinoKindTimes *to, double count, const double mean_s[SINO_BOUND_TYPES])
{
    const double sum = to->count + count;
    for (int type = 0; type < SINO_BOUND_TYPES && sum > 0; type++)
        to->mean_s[type] = (to->count * to->mean_s[type] + count * mean_s[type]) / sum;
    to->count = sum;
}

void sino_release_add(SinoRelease *release, int64_t kind, const double seconds[SINO_BOUND_TYPES])
{
    add_times(&release->kind[kind], 1, seconds);
}

double sino_release_bound(int64_t count, const SinoRelease *release, int64_t kind_count,
                          const int64_t workers[SINO_BOUND_TYPES])
{
    SinoKindTimes kind[SINO_RELEASE_KINDS] = {0};
    double bound_s = 0;
    for (int64_t r = count - 1; r >= 0; r--) {
        for (int64_t k = 0; k < kind_count; k++)
            add_times(&kind[k], release[r].kind[k].count, release[r].kind[k].mean_s);
        bound_s = fmax(bound_s, release[r].at_s + sino_area_bound(kind_count, kind, workers));
    }
    return bound_s;
}

/* The slope of the line through all points with the least squares. */
static double slope(int64_t count, const SinoRelease *release, double mean_at_s, double mean_late_s)
{
    double squares = 0, products = 0, end_s = 0;
    for (int64_t r = 0; r < count; r++) {
        const double at_s = release[r].at_s - mean_at_s;
        end_s = fmax(end_s, release[r].end_s);
        squares += at_s * at_s;
        products += at_s * (end_s - release[r].at_s - mean_late_s);
    }
    return squares > 0 ? products / squares : 0;
}

SinoLateness sino_release_lateness(int64_t count, const SinoRelease *release)
{
    SinoLateness late = {.count = count, .last_s = count > 0 ? release[count - 1].at_s : 0, .keeps_up = true};
    const int64_t counted = count - 1;
    double end_s = 0, at_s = 0;
    for (int64_t r = 0; r < counted; r++) {
        end_s = fmax(end_s, release[r].end_s);
        at_s += release[r].at_s / (double)counted;
        late.mean_s += (end_s - release[r].at_s) / (double)counted;
        late.most_s = fmax(late.most_s, end_s - release[r].at_s);
    }
    if (counted < 2) return late;
    late.growth = slope(counted, release, at_s, late.mean_s);
    late.keeps_up = late.growth * (double)(counted - 1) <= 1;
    return late;
}
