/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan likeness: projections beside each other, compared with unrelated ones. */
#include "checks.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

/* The mean square of a[i] − b[i]. */
static double mean_square(int64_t count, const float *a, const float *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum / (double)count;
}

/* Twice the variance: the mean square of the difference of two unrelated values. */
static double unrelated(int64_t count, const float *values)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += (double)values[i] / (double)count;
        square += (double)values[i] * (double)values[i] / (double)count;
    }
    return 2 * (square - sum * sum);
}

static void compare_lines(int64_t lines, int64_t columns, const float *values, SinoScanLikeness *likeness)
{
    const double scale = unrelated(lines * columns, values);
    if (!(scale > 0)) return;
    for (int64_t l = 1; l <= 4; l++)
        likeness->lag[l] = mean_square((lines - l) * columns, values, values + l * columns) / scale;
    for (int64_t f = 2; f <= 4; f++) {
        const int64_t shift = columns / f;
        likeness->part[f] = 0;
        for (int64_t k = 0; k < lines; k++)
            likeness->part[f] += mean_square(columns - shift, values + k * columns, values + k * columns + shift) /
                                 scale / (double)lines;
    }
}

SinoStatus sino_scan_likeness(const SinoInput *input, SinoScanLikeness *result)
{
    enum { LINES = 64, LEAST = 16 };
    const int64_t columns = input->column_count, lines = sino_smaller(input->info->angle_count, LINES);
    const SinoScanBox box = {.first_row = input->first_row + input->row_count / 2,
                             .row_count = 1,
                             .first_column = input->first_column,
                             .column_count = columns};
    SinoScanLikeness likeness;
    float *values = NULL;
    for (int i = 0; i < 5; i++) likeness.lag[i] = likeness.part[i] = (double)NAN;
    *result = likeness;
    if (lines < LEAST || columns < LEAST) return NULL;
    int64_t count;
    SINO_TRY(sino_multiply(lines, columns, "a sample", &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "a sample", &values));
    SinoStatus status = NULL;
    for (int64_t k = 0; k < lines && !status; k++)
        status = sino_scan_read_projection(input->scan, k, &box, values + k * columns);
    if (!status) compare_lines(lines, columns, values, &likeness);
    free(values);
    if (!status) *result = likeness;
    return status;
}
