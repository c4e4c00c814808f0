/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, private: a window of the running median over columns, for a cache line of values at once. A window ends in
 * +∞, which moves in as a value goes. */
#pragma once

#include "stripes_private.h"

#include <math.h>

/* Takes `old` out of each lane's ascending window[size + 1][SINO_STRIPES_LINE], and puts `new` in. */
SINO_INLINE void sino_stripes_replace(int64_t size, const float *old, const float *new, float *window)
{
    enum { LINE = SINO_STRIPES_LINE };
    float before[LINE];
    for (int i = 0; i < LINE; i++) before[i] = -INFINITY;
    for (int64_t w = 0; w < size; w++) {
        float *at = window + w * LINE;
        for (int i = 0; i < LINE; i++) {
            const float here = at[i] < old[i] ? at[i] : at[LINE + i]; /* without old */
            const float most = new[i] < here ? new[i] : here;
            at[i] = most > before[i] ? most : before[i];
            before[i] = here;
        }
    }
}

/* Sorts the first `size` values of each lane. */
SINO_INLINE void sino_stripes_sort_window(int64_t size, float *window)
{
    enum { LINE = SINO_STRIPES_LINE };
    for (int64_t w = 1; w < size; w++)
        for (int64_t v = w; v > 0; v--)
            for (int i = 0; i < LINE; i++) {
                float *low = window + (v - 1) * LINE + i, *high = window + v * LINE + i;
                const float less = *low < *high ? *low : *high, more = *low < *high ? *high : *low;
                *low = less;
                *high = more;
            }
}
