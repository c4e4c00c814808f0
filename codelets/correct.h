/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: counts to line integrals, p = −ln((count − dark)/(flat − dark)), binned, interleaved, repaired.
 *
 * Rule of repair: a value is undefined when flat − dark, if used, or the transmission is not a positive finite number
 * (with minus_log off the transmission need only be finite in the precision of the result). It is replaced by linear
 * interpolation between the nearest defined columns of the same projection row; beyond the first or last defined column
 * by that column's value; in a row without any by 0. Every replaced value is counted for its slice. Never a NaN. */
#ifndef SINO_CORRECT_H
#define SINO_CORRECT_H

#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoCorrectInput { SINO_CORRECT_UINT8, SINO_CORRECT_UINT16, SINO_CORRECT_FLOAT32 } SinoCorrectInput;

typedef struct SinoCorrection {
    SinoCorrectInput input;
    SinoSlices slices;    /* of the result; padding is set to 0 */
    int64_t angle_count;  /* K */
    int64_t column_count; /* of the detector box, unbinned: M·binning + (0 … binning−1 left over, dropped) */
    int64_t row_count;    /* rows of `counts`, `flat` and `dark`, unbinned */
    int64_t first_row;    /* slices f = 0…F−1 come from rows first_row + f·binning … + binning − 1 */
    int64_t binning;      /* average of binning × binning counts, before the logarithm */
    bool flat_field;      /* else the counts are transmissions already; flat and dark are not used */
    bool minus_log;
    const int64_t *place; /* angle k goes to rows place[k]·M + c of the sinogram; NULL: to its own; not owned */
} SinoCorrection;

/* counts[K][row_count][column_count]; flat, dark: [row_count][column_count] (either NULL when flat_field is off; dark
 * NULL: zero); rows of the sinogram, which lies in panels (panel.h), M = column_count / binning; repaired[F].
 * Safe from many threads at once. SINO_FAILED when out of memory. */
SinoStatus sino_correct(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                        void *sinogram, int64_t *repaired);

/* fields[field_count][pixel_count] → mean or median of each pixel over its finite values (0 when there is none). */
void sino_fields_mean(int64_t field_count, int64_t pixel_count, const float *fields, float *result);
SinoStatus sino_fields_median(int64_t field_count, int64_t pixel_count, const float *fields, float *result);

#endif
