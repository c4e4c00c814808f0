/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by pairs of opposite projections of a scan of a whole turn, in one detector row. */
#include "arithmetic.h"
#include "center.h"
#include "center_methods.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 96 };

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

/* Copies pairs, whose first angles are spread over the scan; *count: those that are nearly half a turn apart. */
static void take_pairs(const SinoGeometry *geometry, const float *sinogram, int64_t *count, float *first, float *second)
{
    const int64_t columns = geometry->column_count, angles = geometry->angle_count;
    const int64_t tried = sino_smaller(PAIRS, angles);
    const double step =
        angles > 1 ? fabs(geometry->angle_rad[angles - 1] - geometry->angle_rad[0]) / (double)(angles - 1) : 0;
    const size_t bytes = (size_t)columns * sizeof *first;
    *count = 0;
    for (int64_t i = 0; i < tried; i++) {
        double off;
        const int64_t k = i * angles / tried, opposite = opposite_of(geometry, k, &off);
        if (off > 0.51 * step) continue;
        memcpy(first + *count * columns, sinogram + k * columns, bytes);
        memcpy(second + *count * columns, sinogram + opposite * columns, bytes);
        ++*count;
    }
}

SinoStatus sino_center_by_pairs(const SinoCenterRow *row, SinoCenterFound *found)
{
    SinoStatus status = NULL;
    const int64_t floats = sino_times(PAIRS, row->geometry->column_count);
    float *first = NULL, *second = NULL;
    int64_t count = 0;
    SINO_TRY_OR(status, cleanup, sino_allocate(floats, sizeof *first, "projections", &first));
    SINO_TRY_OR(status, cleanup, sino_allocate(floats, sizeof *second, "projections", &second));
    take_pairs(row->geometry, row->sinogram, &count, first, second);
    found->at_edge = false;
    if (count == 0)
        status =
            sino_error(SINO_BAD_INPUT, "no two angles are half a turn apart, which --rotation-axis-auto pairs needs; "
                                       "allowed: vo, entropy, or --rotation-axis");
    else
        status = sino_center_pairs(count, row->geometry->column_count, first, second, &found->center, &found->metric);
cleanup:
    free(first);
    free(second);
    return status;
}
