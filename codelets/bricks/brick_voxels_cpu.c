/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels on a CPU core. */
#include "brick_voxels.h"

#include "arithmetic.h"
#include "random_stream.h"

#include <math.h>
#include <string.h>

/* Thin: counts are divided into two halves at random. Each of n counts belongs to the first half with probability 1/2,
 * so that halves of Poisson deviates with the mean m are independent Poisson deviates with the mean m/2.
 *
 * The first half of a value, or the second one; both sum to the value. Whole counts beyond 2²⁰ have the deviation of
 * 2²⁰ coins, scaled. What a value has beyond a whole number is divided evenly. The coins depend on seed and row alone.
 */
static float thin(float value, uint64_t seed, uint64_t row, bool second)
{
    const double whole = floor((double)value), tossed = fmin(whole, 0x1p20);
    const int64_t coins = (int64_t)tossed;
    SinoRandomStream stream = sino_random_stream(seed, row);
    int64_t heads = 0;
    for (int64_t i = 0; i < coins; i += 64) {
        const uint64_t some = coins - i < 64 ? ~(~(uint64_t)0 << (coins - i)) : ~(uint64_t)0;
        stream.counter += sino_golden_gamma;
        heads += __builtin_popcountll(sino_random_hash(stream.counter) & some);
    }
    const double off = (double)heads - tossed / 2;
    const double counted = whole > tossed ? nearbyint(whole / 2 + off * sqrt(whole / tossed)) : (double)heads;
    const double first = counted + ((double)value - whole) / 2;
    return (float)(second ? (double)value - first : first);
}

/* The number of the value of row i; −1: none. */
static int64_t number_of(const SinoGather *gather, int64_t i)
{
    if (gather->row) return gather->row[i];
    return gather->column[i] == SINO_BRICK_NO_COLUMN ? -1 : (int64_t)gather->column[i];
}

static void put(const SinoGather *gather, int64_t row, float value, float *vector)
{
    const int64_t first = gather->set < 0 ? 0 : gather->set;
    const int64_t last = gather->set < 0 ? gather->slices.slice_count - 1 : gather->set;
    for (int64_t s = first; s <= last; s++)
        vector[sino_panel_element(gather->slices, gather->row_count, row, s)] = value;
}

static float share_of(const SinoGather *gather, int64_t number, float value)
{
    if (gather->share == SINO_SHARE_WHOLE) return value;
    if (gather->share == SINO_SHARE_HALF) return value / 2;
    return thin(value, gather->seed, (uint64_t)number, gather->share == SINO_SHARE_SECOND);
}

void sino_gather_values(const SinoGather *gather, const float *value, float *vector)
{
    for (int64_t i = 0; i < gather->row_count; i++) {
        const int64_t number = gather->mask && !(gather->mask[i] > 0) ? -1 : number_of(gather, i);
        put(gather, i, number < 0 ? 0 : share_of(gather, number, value[number]), vector);
    }
}

void sino_gather_integrals(const SinoGather *gather, const float *g, const float *r, const float *n, float *vector)
{
    for (int64_t i = 0; i < gather->row_count; i++) {
        const int64_t number = number_of(gather, i), at = sino_larger(number, 0);
        const float rest = g[at] - (r ? r[at] : 0), factor = number < 0 ? 0 : n ? n[at] : 1;
        /* A sum with 0 is never −0. */
        put(gather, i, factor > 0 ? rest / factor + 0 : -0.0f, vector);
    }
}

void sino_voxels_add(int64_t count, const float *restrict from, float *restrict to)
{
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

void sino_voxels_mask(SinoSlices slices, int64_t rows, const float *mask, const float *restrict from,
                      float *restrict to)
{
    if (!mask) {
        memcpy(to, from, (size_t)sino_times(rows, slices.stride) * sizeof *to);
        return;
    }
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const float *part = sino_panel_from(at, rows, from);
        float *made = sino_panel_to(at, rows, to);
        const int64_t width = at.slices.stride;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t s = 0; s < width; s++) made[i * width + s] = part[i * width + s] * mask[i];
    }
}

void sino_voxels_image(const SinoBrickOrder *order, SinoSlices slices, int64_t set, int64_t first, int64_t count,
                       double scale, const float *voxels, float *image)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = sino_panel_element(slices, order->row_count, order->place[first + i], set);
        image[i] = (float)(scale * (double)voxels[at]);
    }
}
