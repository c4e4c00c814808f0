/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: vectors of floats to halves and back, with adaptive normalisation, on a CPU core. */
#include "cast.h"

#include "vector.h"

#include <math.h>

/* Loops go over chunks of CHUNK elements, so that the compiler can vectorise them. The slices of a panel repeat within
 * a chunk. */
enum { CHUNK = 64 };

_Static_assert(CHUNK >= (int)SINO_PANEL_MAX, "a chunk holds whole rows of the widest panel");

SINO_VECTORISED static void find_largest(int64_t count, const float *x, float *largest)
{
    int64_t i = 0;
    for (; i + CHUNK <= count; i += CHUNK)
        for (int j = 0; j < CHUNK; j++) {
            const float value = fabsf(x[i + j]);
            largest[j] = value > largest[j] ? value : largest[j];
        }
    for (int j = 0; i + j < count; j++) largest[j] = fmaxf(largest[j], fabsf(x[i + j]));
}

SINO_VECTORISED static void to_halves(int64_t count, const float *x, const float *factor, SinoHalf *to)
{
    int64_t i = 0;
    for (; i + CHUNK <= count; i += CHUNK)
        for (int j = 0; j < CHUNK; j++) to[i + j] = sino_half(x[i + j] * factor[j]);
    for (int j = 0; i + j < count; j++) to[i + j] = sino_half(x[i + j] * factor[j]);
}

SINO_VECTORISED static void widen(int64_t count, const SinoHalf *x, const float *factor, float *to)
{
    int64_t i = 0;
    for (; i + CHUNK <= count; i += CHUNK)
        for (int j = 0; j < CHUNK; j++) to[i + j] = sino_half_value(x[i + j]) * factor[j];
    for (int j = 0; i + j < count; j++) to[i + j] = sino_half_value(x[i + j]) * factor[j];
}

void sino_cast_units(SinoSlices slices, int64_t rows, const float *x, int exponent, bool first, bool last,
                     SinoCastUnits *units)
{
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        const int64_t width = panel.slices.stride;
        float largest[CHUNK] = {0}, *const of_slice = units->largest + panel.first;
        find_largest(rows * width, x + panel.first * rows, largest);
        for (int64_t f = 0; f < width && first; f++) of_slice[f] = 0;
        for (int64_t j = 0; j < CHUNK; j++) of_slice[j % width] = fmaxf(of_slice[j % width], largest[j]);
    }
    for (int64_t f = 0; f < slices.stride && last; f++) units->unit[f] = sino_cast_unit(units->largest[f], exponent);
}

void sino_cast_narrow(SinoSlices slices, int64_t rows, const float *x, const SinoCastUnits *units, SinoHalf *to)
{
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        const int64_t width = panel.slices.stride;
        float factor[CHUNK];
        for (int64_t j = 0; j < CHUNK; j++) factor[j] = 1 / units->unit[panel.first + j % width];
        to_halves(rows * width, x + panel.first * rows, factor, to + panel.first * rows);
    }
}

void sino_cast_widen(SinoSlices slices, int64_t rows, const SinoHalf *x, const SinoCastUnits *units, float *to)
{
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        const int64_t width = panel.slices.stride;
        float factor[CHUNK];
        for (int64_t j = 0; j < CHUNK; j++) factor[j] = units->unit[panel.first + j % width];
        widen(rows * width, x + panel.first * rows, factor, to + panel.first * rows);
    }
}
