/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that measure CSR and CSC (csr.h): MLEM with a matrix as other programs have it. Arguments point to memory of
 * the caller, who waits before tasks that need each other's results. */
#pragma once

#include "csr.h"
#include "matrix_file.h"
#include "runtime.h"

/* Task measure_csr_rows: reads rows first … first + count − 1. */
SinoStatus sino_insert_measure_csr_rows(SinoRuntime *runtime, SinoMatrixFile *file, int64_t first, int64_t count,
                                        SinoRowBuffer *rows);

/* Tasks measure_csr_columns and measure_csr_transpose: sino_csr_count_columns and sino_csr_transpose. */
SinoStatus sino_insert_measure_csr_columns(SinoRuntime *runtime, const SinoCsr *matrix, int64_t first, int64_t count,
                                           int64_t *entries);
SinoStatus sino_insert_measure_csr_transpose(SinoRuntime *runtime, const SinoCsr *matrix, int64_t first, int64_t count,
                                             const int64_t *entries, SinoSparseRows *rows);

/* A half of an iteration of MLEM, of some rows of A or of Aᵀ. */
typedef struct SinoMeasureCsr {
    const SinoSparseRows *rows;
    int64_t column_count; /* of these rows: elements of `from` */
    const float *from;
    const float *counts; /* [row]; of measure_csr_ratio */
    float *product;      /* all rows of A or Aᵀ; the task writes its own */
    float *to;           /* likewise */
    float *weight;       /* likewise; of measure_csr_start and measure_csr_voxels */
} SinoMeasureCsr;

/* Tasks measure_csr_ratio: product = A from; to = counts/product, at most 2⁹⁶, 0 where it is not above 0.
 * measure_csr_start: product = Aᵀ from; weight = 1/product, 0 where that is 0; to = 1, 0 where the weight is 0.
 * measure_csr_voxels: product = Aᵀ from; to = to · weight · product. */
SinoStatus sino_insert_measure_csr_ratio(SinoRuntime *runtime, const SinoMeasureCsr *what);
SinoStatus sino_insert_measure_csr_start(SinoRuntime *runtime, const SinoMeasureCsr *what);
SinoStatus sino_insert_measure_csr_voxels(SinoRuntime *runtime, const SinoMeasureCsr *what);

/* Task measure_difference: *difference = ‖x − wanted‖/‖wanted‖. */
SinoStatus sino_insert_measure_difference(SinoRuntime *runtime, int64_t count, const float *x, const float *wanted,
                                          double *difference);
