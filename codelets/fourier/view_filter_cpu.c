/* SPDX-License-Identifier: BSD-3-Clause */
/* View filter: weights and ramp filter of FDK for a projection that has vectors. */
#include "view_filter.h"

#include "memory.h"

#include <math.h>

static int64_t lines_bytes(int64_t column_count, int64_t row_count)
{
    return sino_ceil_multiple(sino_times(sino_times(column_count, row_count), (int64_t)sizeof(float)),
                              SINO_ALIGNMENT_BYTES);
}

int64_t sino_view_filter_scratch_bytes(int64_t column_count, int64_t row_count)
{
    return lines_bytes(column_count, row_count) +
           sino_filter_columns_bytes(sino_larger(column_count, row_count), SINO_SINGLE);
}

/* Of the ray of a pixel to the detector's normal. */
static float cosine(const SinoView *view, const double normal[3], int64_t column, int64_t row)
{
    double ray[3];
    if (view->parallel) return 1;
    sino_view_direction(view, ray);
    for (int i = 0; i < 3; i++) ray[i] += (double)column * view->column[i] + (double)row * view->row[i];
    return (float)(fabs(sino_view_dot(ray, normal)) / sqrt(sino_view_dot(ray, ray) * sino_view_dot(normal, normal)));
}

void sino_view_filter(const SinoFilter *filter, bool along_rows, const SinoView *view, int64_t column_count,
                      int64_t row_count, double weight, const float *share, void *scratch, float *rays)
{
    const SinoSlices line = {SINO_SINGLE, 1, 1};
    const int64_t length = along_rows ? column_count : row_count, count = along_rows ? row_count : column_count;
    const int64_t stride = along_rows ? column_count : 1, across = along_rows ? 1 : row_count;
    float *lines = scratch; /* [line][pixel] */
    double normal[3];
    sino_view_cross(view->column, view->row, normal);
    for (int64_t c = 0; c < column_count; c++)
        for (int64_t r = 0; r < row_count; r++)
            lines[r * stride + c * across] = rays[c * row_count + r] * cosine(view, normal, c, r);
    for (int64_t i = 0; share && i < count; i++)
        for (int64_t j = 0; j < length; j++) lines[i * length + j] *= share[j];
    for (int64_t i = 0; i < count; i++)
        sino_filter_run(filter, 1, line, &weight, (char *)scratch + lines_bytes(column_count, row_count),
                        lines + i * length);
    for (int64_t c = 0; c < column_count; c++)
        for (int64_t r = 0; r < row_count; r++)
            rays[c * row_count + r] = lines[r * stride + c * across] * cosine(view, normal, c, r);
}
