/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR: a matrix as most programs have it, floats beside columns of 32 bits, row by row (CSR), and its transpose
 * likewise (CSC). It takes 16 bytes per nonzero for the products in both directions. Bricks (brick.h) are measured
 * beside it. */
#pragma once

#include "status.h"
#include "system_matrix.h"

/* Ranges of rows that follow each other, from row 0 to the last one. */
typedef struct SinoCsr {
    int64_t part_count;
    const SinoSparseRows *const *part; /* [part_count]; not owned, start[0] is 0 */
} SinoCsr;

/* y[i] = row first_row + i of A x, in float. x[column_count]. */
void sino_csr_multiply(const SinoSparseRows *rows, int64_t column_count, const float *x, float *y);

/* entries[i]: of column first + i. */
void sino_csr_count_columns(const SinoCsr *matrix, int64_t first, int64_t count, int64_t *entries);

/* Rows first … first + count − 1 of the transposed matrix, which has at most 2³² − 1 columns. entries[count]: of
 * sino_csr_count_columns. The caller frees *rows with sino_csr_free. SINO_FAILED: no memory. */
SinoStatus sino_csr_transpose(const SinoCsr *matrix, int64_t first, int64_t count, const int64_t *entries,
                              SinoSparseRows *rows);
void sino_csr_free(SinoSparseRows *rows); /* of sino_csr_transpose; leaves it zeroed */
