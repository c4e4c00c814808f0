/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort: finite values in rising order. */
#include "sort.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int64_t sino_sort_finite(int64_t count, double *value)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(value[i])) value[kept++] = value[i];
    qsort(value, (size_t)kept, sizeof *value, ascending);
    return kept;
}
