/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission: counts of a row, divided by the light that was there without the object. */
#include "transmission.h"

#include "arithmetic.h"
#include "vector.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define DEFINE_CONVERT(type)                                                                                           \
    static void convert_##type(int64_t count, const void *from, float *to)                                             \
    {                                                                                                                  \
        for (int64_t c = 0; c < count; c++) to[c] = (float)((const type *)from)[c];                                    \
    }

DEFINE_CONVERT(uint8_t)
DEFINE_CONVERT(uint16_t)
DEFINE_CONVERT(float)

static const struct {
    size_t bytes;
    void (*convert)(int64_t count, const void *from, float *to);
} inputs[] = {[SINO_CORRECT_UINT8] = {sizeof(uint8_t), convert_uint8_t},
              [SINO_CORRECT_UINT16] = {sizeof(uint16_t), convert_uint16_t},
              [SINO_CORRECT_FLOAT32] = {sizeof(float), convert_float}};

float sino_transmission_limit(const SinoTransmission *of, int64_t row)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, sets = sino_larger(correction->flat_sets, 1);
    int64_t saturated = 0;
    if (correction->saturation <= 0) return INFINITY;
    for (int64_t s = 0; s < sets && correction->flat_field; s++)
        for (int64_t c = 0; c < columns; c++)
            saturated += (double)of->flat[(s * correction->row_count + row) * columns + c] >= correction->saturation;
    return saturated * 100 > sets * columns ? INFINITY : (float)correction->saturation;
}

const void *sino_transmission_image(const SinoTransmission *of, int64_t k)
{
    const SinoCorrection *correction = of->correction;
    const size_t bytes = inputs[correction->input].bytes;
    if (correction->image) return correction->image(correction->image_of, k);
    return (const char *)of->counts + (size_t)(k * correction->row_count * of->column_count) * bytes;
}

/* The light of each pixel of a row at angle k: its flat field, between two sets. */
static const float *light_of(const SinoTransmission *of, int64_t k, int64_t first)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, pixels = correction->row_count * columns;
    if (correction->flat_sets <= 1) return of->flat + first;
    const double at = correction->flat_at[k];
    const int64_t last = correction->flat_sets - 1, set = at < (double)last ? (int64_t)at : last - 1;
    const float *before = of->flat + set * pixels + first, *after = before + pixels;
    const float share = (float)(at - (double)set);
    for (int64_t c = 0; c < columns; c++) of->light[c] = before[c] + (after[c] - before[c]) * share;
    return of->light;
}

/* Turns counts into transmissions, NaN where undefined. dark NULL: 0. */
SINO_VECTORISED static void divide(int64_t columns, const float *light, const float *dark, float *line)
{
    for (int64_t c = 0; c < columns; c++) {
        const float black = dark ? dark[c] : 0, value = (line[c] - black) / (light[c] - black);
        line[c] = light[c] - black > 0 && light[c] <= FLT_MAX ? value : NAN;
    }
}

SINO_VECTORISED static void forget_saturated(int64_t columns, float limit, float *line)
{
    for (int64_t c = 0; c < columns; c++) line[c] = line[c] < limit ? line[c] : NAN;
}

/* `least`: transmissions are above 0, other values are finite only. */
SINO_VECTORISED static void forget_unusual(int64_t columns, float least, float *line)
{
    for (int64_t c = 0; c < columns; c++) line[c] = line[c] > least && line[c] <= FLT_MAX ? line[c] : NAN;
}

void sino_transmission_row(const SinoTransmission *of, const void *image, int64_t k, int64_t row, float limit,
                           float *line)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, first = row * columns;
    const size_t at = (size_t)first * inputs[correction->input].bytes;
    inputs[correction->input].convert(columns, (const char *)image + at, line);
    forget_saturated(columns, limit, line);
    if (correction->flat_field) divide(columns, light_of(of, k, first), of->dark ? of->dark + first : NULL, line);
    forget_unusual(columns, correction->minus_log ? 0 : -INFINITY, line);
}

void sino_transmission_fill(int64_t columns, float alone, float *line)
{
    int64_t left = -1;
    for (int64_t c = 0; c < columns; c++) {
        if (isnan(line[c])) continue;
        for (int64_t i = left + 1; i < c; i++) {
            const float share = left < 0 ? 1 : (float)(i - left) / (float)(c - left);
            line[i] = left < 0 ? line[c] : (1 - share) * line[left] + share * line[c];
        }
        left = c;
    }
    for (int64_t i = left + 1; i < columns; i++) line[i] = left < 0 ? alone : line[left];
}
