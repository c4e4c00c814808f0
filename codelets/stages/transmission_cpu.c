/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission: counts of a row, divided by the light that was there without the object. */
#include "transmission.h"

#include "vector.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Where a transmission is defined: values between `low` and `limit`, fields between −plausible and `plausible`, and
 * transmissions above `least`. */
typedef struct Bounds {
    float low, limit, plausible, least;
} Bounds;

/* The quotient of a value and its light, NaN where that is undefined. Bounds are compared without branches, so that
 * loops vectorise. */
SINO_INLINE float divide(float value, float light, float dark, Bounds bounds)
{
    const float full = light - dark, part = (value - dark) / full, most = bounds.plausible;
    const float lit = full > 0 ? part : NAN, finite = light <= FLT_MAX ? lit : NAN;
    const float of_fields = ((fabsf(light) < most) & (fabsf(dark) < most)) ? finite : NAN;
    const float below = value < bounds.limit ? of_fields : NAN, inside = value > bounds.low ? below : NAN;
    const float above = inside > bounds.least ? inside : NAN;
    return above <= FLT_MAX ? above : NAN;
}

/* line: values divided by the light; returns how many are undefined. light NULL: values are as they should be; dark
 * NULL: 0. */
#define DEFINE_DIVIDE(type)                                                                                            \
    SINO_VECTORISED static int64_t divide_##type(int64_t count, const void *values, const float *light,                \
                                                 const float *dark, Bounds bounds, float *restrict line)               \
    {                                                                                                                  \
        const type *from = values;                                                                                     \
        int undefined = 0;                                                                                             \
        if (light && dark)                                                                                             \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], light[c], dark[c], bounds);           \
        else if (light)                                                                                                \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], light[c], 0, bounds);                 \
        else                                                                                                           \
            for (int64_t c = 0; c < count; c++) line[c] = divide((float)from[c], 1, 0, bounds);                        \
        for (int64_t c = 0; c < count; c++) undefined += isnan(line[c]) != 0;                                          \
        return undefined;                                                                                              \
    }

DEFINE_DIVIDE(uint8_t)
DEFINE_DIVIDE(uint16_t)
DEFINE_DIVIDE(float)

static int64_t (*const divide_row[])(int64_t count, const void *values, const float *light, const float *dark,
                                     Bounds bounds, float *line) = {[SINO_CORRECT_UINT8] = divide_uint8_t,
                                                                    [SINO_CORRECT_UINT16] = divide_uint16_t,
                                                                    [SINO_CORRECT_FLOAT32] = divide_float};

SinoTransmissionBounds sino_transmission_bounds(const SinoTransmission *of, int64_t row)
{
    const SinoCorrectBounds bounds = sino_correct_bounds(of->correction, of->flat, of->column_count, row, 1);
    return (SinoTransmissionBounds){(float)bounds.limit, (float)bounds.plausible};
}

const void *sino_transmission_image(const SinoTransmission *of, int64_t k)
{
    const SinoCorrection *correction = of->correction;
    const int64_t bytes = sino_correct_input_bytes(correction->input);
    if (correction->image) return correction->image(correction->image_of, k);
    return (const char *)of->counts + k * correction->row_count * of->column_count * bytes;
}

/* The light of each pixel of a row at angle k: its flat field, between two sets; NaN where one of them is implausible.
 */
static const float *light_of(const SinoTransmission *of, int64_t k, int64_t first, float most)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, pixels = correction->row_count * columns;
    if (correction->flat_sets <= 1) return of->flat + first;
    const double at = correction->flat_at[k];
    const int64_t last = correction->flat_sets - 1, set = at < (double)last ? (int64_t)at : last - 1;
    const float *before = of->flat + set * pixels + first, *after = before + pixels;
    const float share = (float)(at - (double)set);
    for (int64_t c = 0; c < columns; c++) {
        const float light = before[c] + (after[c] - before[c]) * share;
        of->light[c] = ((fabsf(before[c]) < most) & (fabsf(after[c]) < most)) ? light : NAN;
    }
    return of->light;
}

int64_t sino_transmission_row(const SinoTransmission *of, const void *image, int64_t k, int64_t row,
                              SinoTransmissionBounds bounds, float *line)
{
    const SinoCorrection *correction = of->correction;
    const int64_t columns = of->column_count, first = row * columns;
    const char *from = (const char *)image + first * sino_correct_input_bytes(correction->input);
    const float *light = correction->flat_field ? light_of(of, k, first, bounds.plausible) : NULL;
    const float *dark = correction->flat_field && of->dark ? of->dark + first : NULL;
    const Bounds within = {.low = -bounds.plausible,
                           .limit = fminf(bounds.limit, bounds.plausible),
                           .plausible = correction->flat_field ? bounds.plausible : INFINITY,
                           .least = correction->minus_log ? 0 : -INFINITY};
    return divide_row[correction->input](columns, from, light, dark, within, line);
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
