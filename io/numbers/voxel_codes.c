/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel codes: rounding, encoding, decoding. */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

int64_t sino_codes_bytes(SinoOutputType type)
{
    static const int64_t bytes[] = {[SINO_OUTPUT_FLOAT32] = 4, [SINO_OUTPUT_UINT16] = 2, [SINO_OUTPUT_UINT8] = 1};
    return bytes[type];
}

double sino_codes_largest(const SinoVoxelCodes *codes)
{
    return codes->type == SINO_OUTPUT_UINT16 ? UINT16_MAX : codes->type == SINO_OUTPUT_UINT8 ? UINT8_MAX : 0;
}

double sino_codes_step(const SinoVoxelCodes *codes)
{
    const double largest = sino_codes_largest(codes);
    return largest > 0 ? (codes->range.high - codes->range.low) / largest : 0;
}

SinoStatus sino_codes_check(const SinoVoxelCodes *codes)
{
    const SinoValueRange *range = &codes->range;
    const double most = fmax(fabs(range->low), fabs(range->high));
    /* Two units in the last place of a float32: rounding then errs by a quarter of a step at most. */
    const double least = most * 0x1p-22;
    if (codes->type == SINO_OUTPUT_FLOAT32) return NULL;
    SINO_CHECK(range->low < range->high, SINO_BAD_INPUT, "output-range is %.9g:%.9g; allowed: MIN:MAX, MIN below MAX",
               range->low, range->high);
    SINO_CHECK(sino_codes_step(codes) >= least, SINO_BAD_INPUT,
               "output-range is %.9g:%.9g, in which %.0f steps are finer than the values; allowed: a range of %.3g or "
               "wider there, or --output-type float32",
               range->low, range->high, sino_codes_largest(codes), least * sino_codes_largest(codes));
    return NULL;
}

/* The code of a value, as a real number. The comparison is false for NaN. */
static inline double code_of(float value, double low, double per_value, double largest)
{
    const double place = ((double)value - low) * per_value;
    const double at_least = place > 0 ? place : 0;
    return floor((at_least < largest ? at_least : largest) + 0.5);
}

void sino_codes_round(const SinoVoxelCodes *codes, int64_t count, float *values, int64_t *clipped)
{
    const double low = codes->range.low, high = codes->range.high, step = sino_codes_step(codes);
    const double largest = sino_codes_largest(codes);
    int64_t below = 0, above = 0, nan = 0;
    if (codes->type == SINO_OUTPUT_FLOAT32) return;
    /* Ends of the range that no float32 has. */
    const float lowest = (float)low, highest = (float)(low + largest * step);
    for (int64_t i = 0; i < count; i++) {
        const float value = values[i];
        below += (double)value < low && value < lowest;
        above += (double)value > high && value > highest;
        nan += isnan(value);
        values[i] = (float)(low + code_of(value, low, 1 / step, largest) * step);
    }
    clipped[SINO_CLIPPED_BELOW] += below;
    clipped[SINO_CLIPPED_ABOVE] += above;
    clipped[SINO_CLIPPED_NAN] += nan;
}

void sino_codes_encode(const SinoVoxelCodes *codes, int64_t count, const float *values, void *to)
{
    const double low = codes->range.low, per_value = 1 / sino_codes_step(codes), largest = sino_codes_largest(codes);
    uint16_t *shorts = to;
    uint8_t *bytes = to;
    if (codes->type == SINO_OUTPUT_UINT16)
        for (int64_t i = 0; i < count; i++) shorts[i] = (uint16_t)code_of(values[i], low, per_value, largest);
    else
        for (int64_t i = 0; i < count; i++) bytes[i] = (uint8_t)code_of(values[i], low, per_value, largest);
}

void sino_codes_decode(const SinoVoxelCodes *codes, int64_t count, const void *from, float *values)
{
    const double low = codes->range.low, step = sino_codes_step(codes);
    const uint16_t *shorts = from;
    const uint8_t *bytes = from;
    if (codes->type == SINO_OUTPUT_UINT16)
        for (int64_t i = 0; i < count; i++) values[i] = (float)(low + shorts[i] * step);
    else
        for (int64_t i = 0; i < count; i++) values[i] = (float)(low + bytes[i] * step);
}
