/* SPDX-License-Identifier: BSD-3-Clause */
/* Center in several rows: how far the rotation center of one detector row holds for others. */
#pragma once

#include "center_methods.h"
#include "center_settings.h"
#include "status.h"

enum { SINO_CENTER_ROWS = 3 };

/* Centers of the same scan in several rows, columns of the input's geometry. */
typedef struct SinoCenterRows {
    int64_t count; /* 1 … SINO_CENTER_ROWS */
    double center[SINO_CENTER_ROWS];
    int64_t moment_count; /* rows whose moments tell a center (center.h) */
    double moments[SINO_CENTER_ROWS], uncertainty[SINO_CENTER_ROWS];
} SinoCenterRows;

/* A center, and how far the true one may be from it: about two standard deviations. */
typedef struct SinoCenterEstimate {
    double center, uncertainty;
} SinoCenterEstimate;

/* Asks the moments of the first row, whose center is known. SINO_FAILED: no memory. */
SinoStatus sino_center_add_moments(const SinoCenterRow *row, SinoCenterRows *rows);

/* Adds to rows, which has the center of slice `slice` and its sinogram `row`, those of the rows a quarter from the top
 * and from the bottom, where these rows have a fifth of the signal (standard deviation) of the first, else of the rows
 * halfway between; a row of air adds none. Vo's method and the entropy look within half a column of the first row's
 * center, and only where that ends at the border within six; phase correlation has compared all rows. Moments
 * are asked if the first row's are. Errors: those of sino_stages_read. */
SinoStatus sino_center_add_rows(SinoRuntime *runtime, const SinoInput *input, SinoCenterMethod method,
                                const SinoCenterRow *row, int64_t slice, SinoCenterRows *rows);

/* The median of the rows, which half of their range and `doubt` make uncertain. */
SinoCenterEstimate sino_center_of_rows(const SinoCenterRows *rows, double doubt);

/* The mean of the rows' moments, each by its uncertainty; as uncertain as the best row, or half of the range. No row:
 * INFINITY. */
SinoCenterEstimate sino_center_of_moments(const SinoCenterRows *rows);

/* The mean of both, each by its uncertainty; it is as much more uncertain as they differ by more than theirs. */
SinoCenterEstimate sino_center_mean(SinoCenterEstimate a, SinoCenterEstimate b);
