/* SPDX-License-Identifier: BSD-3-Clause */
/* Row end: how a row of an object that reaches beyond the detector goes on, as the projection of an ellipse does: with
 * the value v and the slope s of the row's end, at d columns from it
 *
 *     v·√((1 − d/L)·(1 + d·(1/L + 2s/v))), and 0 beyond L.
 *
 * L is the number of columns of the detector, or less for a row that falls so fast that its ellipse ends before; a
 * slope counts up to 3v/2L. J. Hsieh et al. (Med. Phys. 31, 2385, 2004) continue rows by circles of water, which needs
 * the attenuation of the object. The result is proportional to the row. */
#pragma once

#include "vector.h"

#include <math.h>
#include <stdint.h>

typedef struct SinoRowEnd {
    double value;       /* at the outermost column, of a line through it and its neighbours */
    double steep, bend; /* 1/L and 1/L + 2s/v */
} SinoRowEnd;

/* The end of a row of M columns by its outermost value, and by those `steps`/2 and `steps` columns inwards, where
 * `steps` is sino_row_end_steps(M). */
SINO_INLINE int64_t sino_row_end_steps(int64_t column_count)
{
    return column_count > 2 ? 2 : column_count - 1;
}

SINO_INLINE SinoRowEnd sino_row_end(int64_t column_count, double outermost, double middle, double inner)
{
    const int64_t steps = sino_row_end_steps(column_count);
    const double slope = steps > 0 ? (outermost - inner) / (double)steps : 0;
    const double value = steps == 2 ? (outermost + middle + inner) / 3 + slope : outermost;
    const double least = 1 / (double)column_count, relative = value != 0 ? 2 * slope / value : 0;
    const double rise = relative < 3 * least ? relative : 3 * least, steep = rise < -least ? -rise : least;
    const SinoRowEnd end = {value, steep, steep + rise};
    return end;
}

/* The value at `distance` columns from the outermost one. */
SINO_INLINE double sino_row_beyond(SinoRowEnd end, double distance)
{
    const double inside = (1 - distance * end.steep) * (1 + distance * end.bend);
    return inside > 0 ? end.value * sqrt(inside) : 0;
}
