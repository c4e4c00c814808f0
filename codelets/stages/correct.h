/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: converts counts to line integrals, p = −ln((count − dark)/(flat − dark)), bins, interleaves and repairs
 * them.
 *
 * Several sets of flat fields, taken during the scan, are interpolated linearly between the two that a projection lies
 * between.
 *
 * A value is undefined when flat − dark, if used, or the transmission is not a positive finite number (with minus_log
 * off the transmission need only be finite in the precision of the result), or when a count of its bin is saturated, or
 * when a count, dark or flat field of its bin is implausible: as far from 0 as `plausible` times the level of the
 * slice's flat field (plausible.h) or, without a flat field, as `plausible`.
 * An overexposed flat field, of which more than 1 % of a slice's pixels are saturated, makes no count of that slice
 * saturated: there the light is even.
 *
 * Repair: an undefined value is interpolated linearly between the nearest defined columns of the same projection row.
 * Beyond the first or last defined column it gets that column's value; in a row without defined values it is 0. With
 * `marked` nothing is interpolated: an undefined value is −0, and every other zero is +0, so that solvers give the ray
 * the weight 0 (update_formulas.h) while every product and sum takes it as 0. The result never contains NaN. */
#pragma once

#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoCorrectInput { SINO_CORRECT_UINT8, SINO_CORRECT_UINT16, SINO_CORRECT_FLOAT32 } SinoCorrectInput;

typedef struct SinoCorrection {
    SinoCorrectInput input;
    SinoSlices slices;    /* of the result; padding is set to 0 */
    int64_t angle_count;  /* K */
    int64_t column_count; /* of the detector box, unbinned: M·binning + 0 … binning−1 columns that are dropped */
    int64_t row_count;    /* rows of `counts`, `flat` and `dark`, unbinned */
    int64_t first_row;    /* slice f = 0…F−1 averages rows first_row + f·binning … + binning − 1 */
    int64_t binning;      /* counts are averaged over binning × binning pixels before the logarithm */
    bool flat_field;      /* false: counts are transmissions already, flat and dark are not used */
    bool minus_log;
    bool marked;           /* undefined values are −0, not interpolated */
    double saturation;     /* counts of this value or more are saturated; 0: none are */
    double plausible;      /* where counts and fields begin to be implausible; 0: nowhere */
    int64_t uncounted;     /* undefined values of this many slices, the first ones, are not counted */
    int64_t flat_sets;     /* sets of flat fields; 0 and 1: one */
    const double *flat_at; /* [K]: place of each angle among the sets: n is set n, n + ½ the mean of sets n and n + 1,
                            * from 0 to flat_sets − 1; not owned; NULL with one set */
    const void *(*image)(void *image_of, int64_t k); /* makes the counts of angle k, [row_count][column_count]; valid
                                                      * until the next call; NULL: they are `counts` */
    void *image_of;                                  /* not owned */
    const int64_t *place; /* angle k becomes rows place[k]·M + c of the sinogram; NULL: place[k] = k; not owned */
} SinoCorrection;

/* Bytes of a count. */
static inline int64_t sino_correct_input_bytes(SinoCorrectInput input)
{
    return input == SINO_CORRECT_UINT8 ? 1 : input == SINO_CORRECT_UINT16 ? 2 : (int64_t)sizeof(float);
}

/* Bounds of some rows of counts: from `limit` on counts are saturated; as far from 0 as `plausible` counts and fields
 * are implausible. Infinite: none are. */
typedef struct SinoCorrectBounds {
    double limit, plausible;
} SinoCorrectBounds;

/* The bounds of `rows` rows from `row` on, by their flat fields: flat[set][row_count][columns]. */
SinoCorrectBounds sino_correct_bounds(const SinoCorrection *correction, const float *flat, int64_t columns, int64_t row,
                                      int64_t rows);

/* counts[K][row_count][column_count]. flat: [set][row_count][column_count]; dark: [row_count][column_count]; either
 * NULL when flat_field is off; dark NULL: zero. sinogram: K·M rows in panels (panel.h), M = column_count / binning.
 * repaired[F]: undefined values of each slice. tally[K + M]: undefined values of all slices by angle (k of `counts`),
 * then by column. Safe from many threads at once. SINO_FAILED: out of memory. */
SinoStatus sino_correct(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                        void *sinogram, int64_t *repaired, int64_t *tally);

/* result[pixel_count]: mean or median of fields[field_count][pixel_count] over the finite values of each pixel; 0 if a
 * pixel has none. */
void sino_fields_mean(int64_t field_count, int64_t pixel_count, const float *fields, float *result);
SinoStatus sino_fields_median(int64_t field_count, int64_t pixel_count, const float *fields, float *result);
