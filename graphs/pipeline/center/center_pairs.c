/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by pairs of opposite projections of a scan of a whole turn, in one detector row. */
#include "center.h"
#include "center_methods.h"
#include "memory.h"
#include "simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 48 };

/* Columns by which a single pair may be wrong. */
static const double one_pair = 2;

/* The angle nearest to half a turn after angle k, and by how much it misses that. */
static int64_t opposite_of(const SinoGeometry *geometry, int64_t k, double *off)
{
    int64_t best = k;
    *off = INFINITY;
    for (int64_t i = 0; i < geometry->angle_count; i++) {
        const double turned = geometry->angle_rad[i] - geometry->angle_rad[k] - SINO_PI;
        const double here = fabs(remainder(turned, 2 * SINO_PI));
        if (here >= *off) continue;
        *off = here;
        best = i;
    }
    return best;
}

/* Reads pairs, whose first angles are spread over the first half of the scan, for the other half has the same pairs,
 * and those of even number first; *count: those that are nearly half a turn apart. */
static SinoStatus take_pairs(const SinoGeometry *geometry, SinoCenterRead *read, void *context, int64_t *count,
                             float *first, float *second)
{
    const int64_t columns = geometry->column_count, angles = geometry->angle_count;
    const int64_t half = (angles + 1) / 2, tried = sino_smaller(PAIRS, half);
    const double step = angles > 1 ? sino_center_span_rad(geometry) / (double)(angles - 1) : 0;
    *count = 0;
    for (int64_t i = 0; i < tried; i++) {
        double off;
        const int64_t evens = (tried + 1) / 2, number = i < evens ? 2 * i : 2 * (i - evens) + 1;
        const int64_t k = number * half / tried, opposite = opposite_of(geometry, k, &off);
        if (off > 0.51 * step) continue;
        SINO_TRY(read(context, k, first + *count * columns));
        SINO_TRY(read(context, opposite, second + *count * columns));
        ++*count;
    }
    return NULL;
}

/* The center of all pairs, and how far the halves differ. */
static SinoStatus find_center(int64_t count, int64_t columns, const float *first, const float *second,
                              SinoCenterFound *found)
{
    double center[3];
    if (SINO_SIMULATES) {
        *found = (SinoCenterFound){.metric = 1};
        return NULL;
    }
    SINO_TRY(sino_center_pairs(count, columns, first, second, center, &found->metric));
    found->center = center[0];
    found->doubt = count > 1 ? fabs(center[2] - center[1]) : one_pair;
    return NULL;
}

/* about NaN: finds the center; else tells how alike the projections are about that one, in found->metric. */
static SinoStatus compare_pairs(const SinoGeometry *geometry, SinoCenterRead *read, void *context, double about,
                                SinoCenterFound *found)
{
    SinoStatus status = NULL;
    const int64_t floats = sino_times(PAIRS, geometry->column_count);
    float *first = NULL, *second = NULL;
    int64_t count = 0;
    SINO_TRY_OR(status, cleanup, sino_allocate(floats, sizeof *first, "projections", &first));
    SINO_TRY_OR(status, cleanup, sino_allocate(floats, sizeof *second, "projections", &second));
    SINO_TRY_OR(status, cleanup, take_pairs(geometry, read, context, &count, first, second));
    found->at_edge = false;
    if (count == 0)
        status =
            sino_error(SINO_BAD_INPUT, "no two angles are half a turn apart, which --rotation-axis-auto pairs needs; "
                                       "allowed: vo, entropy, or --rotation-axis");
    else if (isnan(about))
        status = find_center(count, geometry->column_count, first, second, found);
    else
        status = sino_center_pairs_likeness(count, geometry->column_count, first, second, about, &found->metric);
cleanup:
    free(first);
    free(second);
    return status;
}

SinoStatus sino_center_of_pairs(const SinoGeometry *geometry, SinoCenterRead *read, void *context,
                                SinoCenterFound *found)
{
    return compare_pairs(geometry, read, context, NAN, found);
}

/* SinoCenterRead of a row of the whole scan. */
static SinoStatus copy_projection(void *context, int64_t angle, float *integral)
{
    const SinoCenterRow *row = context;
    const int64_t columns = row->geometry->column_count;
    memcpy(integral, row->sinogram + angle * columns, (size_t)columns * sizeof *integral);
    return NULL;
}

SinoStatus sino_center_by_pairs(const SinoCenterRow *row, SinoCenterFound *found)
{
    SinoCenterRow own = *row;
    return sino_center_of_pairs(row->geometry, copy_projection, &own, found);
}

SinoStatus sino_center_likeness(const SinoCenterRow *row, double center, double *likeness)
{
    SinoCenterRow own = *row;
    SinoCenterFound found = {.metric = 0};
    SINO_TRY(compare_pairs(row->geometry, copy_projection, &own, center, &found));
    *likeness = found.metric;
    return NULL;
}

bool sino_center_is_whole_turn(const SinoGeometry *geometry)
{
    const int64_t last = geometry->angle_count - 1;
    const double covered = sino_center_span_rad(geometry) * 180 / SINO_PI;
    return last > 0 && covered + covered / (double)last >= 350;
}
