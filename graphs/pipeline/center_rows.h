/* SPDX-License-Identifier: BSD-3-Clause */
/* Center in several rows: how far the rotation center of one detector row holds for others. */
#ifndef SINO_CENTER_ROWS_H
#define SINO_CENTER_ROWS_H

#include "center_methods.h"
#include "settings.h"

enum { SINO_CENTER_ROWS = 3 };

/* Centers of the same scan in several rows, columns of the input's geometry. */
typedef struct SinoCenterRows {
    int64_t count; /* 1 … SINO_CENTER_ROWS */
    double center[SINO_CENTER_ROWS];
} SinoCenterRows;

/* Adds to rows, which has the center of slice `slice` and its sinogram `row`, those of the rows a quarter from the top
 * and from the bottom, where these rows have a fifth of the signal (standard deviation) of the first, else of the rows
 * halfway between; a row of air adds none. Vo's method and the entropy look within half a column of the first row's
 * center, and only where that ends at the border within six; phase correlation, which has compared all rows, adds none.
 * Errors: those of sino_stages_read. */
SinoStatus sino_center_add_rows(SinoRuntime *runtime, const SinoInput *input, SinoCenterMethod method,
                                const SinoCenterRow *row, int64_t slice, SinoCenterRows *rows);

/* The median, and half of the range. */
double sino_center_rows_median(const SinoCenterRows *rows);
double sino_center_rows_spread(const SinoCenterRows *rows);

#endif
