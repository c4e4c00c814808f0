/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix scan: ranges of rows of files whose entries are in any order, each by reading the whole file. */
#pragma once

#include "matrix_file.h"

/* What a scan looks for. Entries of other rows are passed over. */
typedef struct SinoMatrixScan SinoMatrixScan;

/* Takes note of an entry. SINO_FAILED: no memory. */
SinoStatus sino_matrix_scan_entry(SinoMatrixScan *scan, int64_t row, uint32_t column, double value);

/* A format's function that calls sino_matrix_scan_entry for each entry of the file, whose rows lie inside the matrix.
 */
typedef SinoStatus (*SinoMatrixScanner)(void *state, SinoMatrixScan *scan);

/* The functions of SinoMatrixSource, by one scan. `path` and `column_count`: as of sino_row_put. */
SinoStatus sino_matrix_scan_count(SinoMatrixScanner scanner, void *state, int64_t first, int64_t count,
                                  int64_t *entries);
SinoStatus sino_matrix_scan_read(SinoMatrixScanner scanner, void *state, const char *path, int64_t column_count,
                                 int64_t first, int64_t count, SinoRowBuffer *buffer);
