/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission: counts of a row, divided by the light that was there without the object. */
#include "transmission.h"

#include "arithmetic.h"
#include "vector.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* The quotient of a value and its light, NaN where that is undefined. Transmissions are above `least`. Bounds are
 * compared without branches, so that loops vectorise. */
SINO_INLINE float divide(float value, float light, float dark, float limit, float least)
{
    const float full = light - dark, part = (value - dark) / full;
    const float lit = full > 0 ? part : NAN, finite = light <= FLT_MAX ? lit : NAN,
                below = value < limit ? finite : NAN;
    const float above = below > least ? below : NAN;
    return above <= FLT_MAX ? above : NAN;
}

/* line: values divided by the light; returns how many are undefined. light NULL: values are as they should be; dark
 * NULL: 0. */
#define DEFINE_DIVIDE(type)                                                                                            \
    SINO_VECTORISED static int64_t divide_##type(int64_t count, const void *values, const float *light,                \
                                                 const float *dark, float limit, float least, float *restrict line)    \
    {                                                                                                                  \
        const type *from = values;                                                                                     \
        int undefined = 0;                                                                                             \
        if (light && dark)                                                                                             \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], light[c], dark[c], limit, least);     \
        else if (light)                                                                                                \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], light[c], 0, limit, least);           \
        else                                                                                                           \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], 1, 0, limit, least);                  \
        for (int64_t c = 0; c < count; c++) undefined += isnan(line[c]) != 0;                                          \
        return undefined;                                                                                              \
    }

DEFINE_DIVIDE(uint8_t)
DEFINE_DIVIDE(uint16_t)
DEFINE_DIVIDE(float)

static const struct {
    size_t bytes;
    int64_t (*divide)(int64_t count, const void *values, const float *light, const float *dark, float limit,
                      float least, float *line);
} inputs[] = {[SINO_CORRECT_UINT8] = {sizeof(uint8_t), divide_uint8_t},
              [SINO_CORRECT_UINT16] = {sizeof(uint16_t), divide_uint16_t},
              [SINO_CORRECT_FLOAT32] = {sizeof(float), divide_float}};

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

int64_t sino_transmission_row(const SinoTransmission *of, const void *image, int64_t k, int64_t row, float limit,
                              float *line)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, first = row * columns;
    const char *from = (const char *)image + (size_t)first * inputs[correction->input].bytes;
    const float *light = correction->flat_field ? light_of(of, k, first) : NULL;
    const float *dark = correction->flat_field && of->dark ? of->dark + first : NULL;
    const float least = correction->minus_log ? 0 : -INFINITY;
    return inputs[correction->input].divide(columns, from, light, dark, limit, least, line);
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
