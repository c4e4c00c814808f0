/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the phantom of a PET scanner: pet_activity, a slice of the activity; pet_rows, the rows of a crystal in the
 * system matrix and their mean counts; pet_counts, the counts of these rows. */
#pragma once

#include "pet_scanner.h"
#include "runtime.h"

/* slice[Y][X] of slice z. */
SinoStatus sino_insert_pet_activity(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t z, float *slice);

/* What a task pet_rows makes of a crystal. */
typedef struct SinoPetRows {
    SinoSparseRows rows; /* the caller frees its arrays with sino_pet_rows_forget */
    double *mean;        /* [row of the matrix]: of the crystal's rows, and of the rows for which they stand, is
                          * written, −1 of rows without entries; the caller's */
} SinoPetRows;

/* activity[orientation][voxel]: mirrored images; the first one is the activity. It and `made` must outlive the task. */
SinoStatus sino_insert_pet_rows(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t crystal,
                                const float *activity, SinoPetRows *made);

/* Frees the rows of tasks that have ended. */
void sino_pet_rows_forget(SinoPetRows *made);

/* Some rows of a measurement. */
typedef struct SinoPetCounts {
    int64_t row_count;
    uint64_t seed, first; /* numbers of the rows in the stream of the seed: first … first + row_count − 1 */
    const double *mean;   /* [row_count]: as pet_rows made them */
    double scale;         /* counts = scale · mean + additive; 0 of a row without entries */
    double additive;      /* mean counts of randoms and scatter, of each row with entries */
    int32_t *counts;      /* [row_count]: Poisson deviates, at most INT32_MAX */
    float *terms;         /* [row_count]: the additive mean; NULL: not wanted */
} SinoPetCounts;
SinoStatus sino_insert_pet_counts(SinoRuntime *runtime, const SinoPetCounts *counts);
