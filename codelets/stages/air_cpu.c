/* SPDX-License-Identifier: BSD-3-Clause */
/* Air: means of the outermost columns, and a line between them, for all slices of a panel at once. */
#include "air.h"

#include "arithmetic.h"
#include "logarithm.h"
#include "undefined.h"
#include "vector.h"

#include <assert.h>
#include <math.h>

/* Transmissions of air at both ends of one row, by slice of a panel; 0: unknown. */
typedef struct Ends {
    double left[SINO_PANEL_MAX], right[SINO_PANEL_MAX];
} Ends;

/* mean[f]: the mean transmission of `count` neighbouring columns of a row; 0 if none is defined or it has no number. */
#define DEFINE_MEANS(type)                                                                                             \
    static void means_##type(int64_t count, int64_t stride, const type *row, double *mean)                             \
    {                                                                                                                  \
        for (int64_t f = 0; f < stride; f++) {                                                                         \
            double sum = 0, number = 0;                                                                                \
            for (int64_t c = 0; c < count; c++) {                                                                      \
                const type value = row[c * stride + f];                                                                \
                if (sino_is_undefined(value)) continue;                                                                \
                sum += exp(-(double)value);                                                                            \
                number++;                                                                                              \
            }                                                                                                          \
            mean[f] = number > 0 && isnormal(sum) ? sum / number : 0;                                                  \
        }                                                                                                              \
    }

/* Adds the logarithm of the line to a row. */
#define DEFINE_ADD_LINE(type)                                                                                          \
    SINO_VECTORISED static void add_line_##type(int64_t column_count, int64_t stride, const Ends *ends, type *row)     \
    {                                                                                                                  \
        const double last = column_count > 1 ? (double)(column_count - 1) : 1;                                         \
        for (int64_t c = 0; c < column_count; c++) {                                                                   \
            const double share = (double)c / last;                                                                     \
            type *at = row + c * stride;                                                                               \
            for (int64_t f = 0; f < stride; f++) {                                                                     \
                const double line = ends->left[f] + (ends->right[f] - ends->left[f]) * share;                          \
                const type value = (type)((double)at[f] + sino_logarithm(line)) + (type)0;                             \
                at[f] = sino_is_undefined(at[f]) ? at[f] : value;                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_MEANS(float)
DEFINE_MEANS(double)
DEFINE_ADD_LINE(float)
DEFINE_ADD_LINE(double)

/* Gives both ends of each slice a number; 1 where neither has one, and in the padding. */
static void complete(SinoSlices slices, Ends *ends)
{
    for (int64_t f = 0; f < slices.stride; f++) {
        const double left = ends->left[f], right = ends->right[f];
        const bool none = (left == 0 && right == 0) || f >= slices.slice_count;
        ends->left[f] = none ? 1 : left > 0 ? left : right;
        ends->right[f] = none ? 1 : right > 0 ? right : left;
    }
}

static void normalise_row(const SinoAir *air, SinoSlices slices, void *row)
{
    const int64_t stride = slices.stride, columns = air->column_count, first = (columns - air->width) * stride;
    Ends ends;
    if (slices.precision == SINO_DOUBLE) {
        means_double(air->width, stride, row, ends.left);
        means_double(air->width, stride, (const double *)row + first, ends.right);
        complete(slices, &ends);
        add_line_double(columns, stride, &ends, row);
    } else {
        means_float(air->width, stride, row, ends.left);
        means_float(air->width, stride, (const float *)row + first, ends.right);
        complete(slices, &ends);
        add_line_float(columns, stride, &ends, row);
    }
}

void sino_air_normalise(const SinoAir *air, SinoSlices slices, const int64_t *place, void *sinogram)
{
    const int64_t rays = sino_times(air->angle_count, air->column_count);
    assert(air->width >= 1 && air->width <= air->column_count);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const int64_t row_bytes = sino_times(sino_times(air->column_count, at.slices.stride),
                                             (int64_t)sino_precision_bytes(slices.precision));
        char *panel = sino_panel_to(at, rays, sinogram);
        for (int64_t k = 0; k < air->angle_count; k++)
            normalise_row(air, at.slices, panel + (place ? place[k] : k) * row_bytes);
    }
}
