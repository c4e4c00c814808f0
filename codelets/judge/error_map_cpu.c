/* SPDX-License-Identifier: BSD-3-Clause */
/* Error map on a CPU core: a window of rows that are filtered along themselves, then across. */
#include "error_map.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 9, WINDOW = 2 * REACH + 1 };
static const double deviation = 3;

/* Rows in work, [2][width]: sums of squares, and of the weights of what they have. */
typedef struct Filter {
    int64_t height, width;
    double weight[REACH + 1]; /* of a voxel so far from the middle */
    double *row;              /* [WINDOW]: the last rows, filtered along themselves; owned with the next */
    double *work;             /* not filtered yet; filtered along both axes */
} Filter;

/* to[c] += weight·from[c + offset] of both sums, where c + offset is in the row */
static void add_weighted(const Filter *filter, int64_t offset, double weight, const double *restrict from,
                         double *restrict to)
{
    const int64_t first = sino_larger(0, -offset), end = sino_smaller(filter->width, filter->width - offset);
    for (int64_t k = 0; k < 2; k++)
        for (int64_t c = first; c < end; c++)
            to[k * filter->width + c] += weight * from[k * filter->width + c + offset];
}

static double *filtered(const Filter *filter, int64_t row)
{
    return filter->row + row % WINDOW * 2 * filter->width;
}

static void clear_row(const Filter *filter, double *row)
{
    memset(row, 0, (size_t)sino_times(2, filter->width) * sizeof *row);
}

static double weight_at(const Filter *filter, int64_t offset)
{
    return filter->weight[offset < 0 ? -offset : offset];
}

static void filter_row(const Filter *filter, int64_t row, const float *a, const float *b)
{
    for (int64_t c = 0; c < filter->width; c++) {
        const double apart = (double)a[c] - (double)b[c];
        filter->work[c] = isfinite(apart) ? apart * apart / 2 : 0;
        filter->work[filter->width + c] = isfinite(apart);
    }
    clear_row(filter, filtered(filter, row));
    for (int64_t k = -REACH; k <= REACH; k++)
        add_weighted(filter, k, weight_at(filter, k), filter->work, filtered(filter, row));
}

static void write_row(const Filter *filter, int64_t row, float *map)
{
    clear_row(filter, filter->work);
    for (int64_t r = sino_larger(0, row - REACH); r < sino_smaller(filter->height, row + REACH + 1); r++)
        add_weighted(filter, 0, weight_at(filter, r - row), filtered(filter, r), filter->work);
    for (int64_t c = 0; c < filter->width; c++) {
        const double weights = filter->work[filter->width + c];
        map[c] = weights > 0 ? (float)sqrt(filter->work[c] / weights) : NAN;
    }
}

SinoStatus sino_error_map(int64_t height, int64_t width, const float *a, const float *b, float *map)
{
    Filter filter = {.height = height, .width = width};
    const int64_t row = sino_times(2, width);
    for (int i = 0; i <= REACH; i++) filter.weight[i] = exp(-0.5 * i * i / (deviation * deviation));
    SINO_TRY(sino_allocate(sino_times(WINDOW + 1, row), sizeof *filter.row, "rows of a window", &filter.row));
    filter.work = filter.row + WINDOW * row;
    for (int64_t r = 0; r < height + REACH; r++) {
        if (r < height) filter_row(&filter, r, a + r * width, b + r * width);
        if (r >= REACH) write_row(&filter, r - REACH, map + (r - REACH) * width);
    }
    free(filter.row);
    return NULL;
}
