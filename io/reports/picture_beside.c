/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture beside: all three images become shares of their ranges, in one image. */
#include "picture_beside.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "memory.h"
#include "picture.h"

static const int64_t gap = 4; /* pixels between the images */

/* Where a value lies from low to high; 0.5 if both are equal, NaN of NaN. */
static float share(double value, double low, double high)
{
    if (isnan(value)) return NAN;
    return high > low ? (float)fmin(fmax((value - low) / (high - low), 0), 1) : 0.5F;
}

static void fill(int64_t height, int64_t width, const float *a, const float *b, const float range[2], float reach,
                 float *shares)
{
    const int64_t whole = 3 * width + 2 * gap;
    for (int64_t i = 0; i < height * whole; i++) shares[i] = 1;
    for (int64_t r = 0; r < height; r++)
        for (int64_t c = 0; c < width; c++) {
            const double x = (double)a[r * width + c], y = (double)b[r * width + c];
            float *to = shares + r * whole + c;
            to[0] = share(x, (double)range[0], (double)range[1]);
            to[width + gap] = share(y, (double)range[0], (double)range[1]);
            to[2 * (width + gap)] = share(x - y, -(double)reach, (double)reach);
        }
}

SinoStatus sino_picture_beside_write(const char *path, int64_t height, int64_t width, const float *a, const float *b,
                                     float range[2], float *reach)
{
    const int64_t count = sino_times(height, width), whole = sino_times(height, sino_times(3, width) + 2 * gap);
    float low = 0, high = 0, *shares = NULL;
    SinoStatus status = NULL;
    range[0] = range[1] = 0;
    SINO_TRY(sino_allocate(whole, sizeof *shares, "a picture", &shares));
    for (int64_t i = 0; i < count; i++) shares[i] = a[i] - b[i];
    SINO_TRY_OR(status, end, sino_picture_window(count, b, &range[0], &range[1]));
    SINO_TRY_OR(status, end, sino_picture_window(count, shares, &low, &high));
    *reach = fmaxf(fabsf(low), fabsf(high));
    fill(height, width, a, b, range, *reach, shares);
    SINO_TRY_OR(status, end, sino_picture_write(path, height, 3 * width + 2 * gap, shares, 0, 1));
end:
    free(shares);
    return status;
}
