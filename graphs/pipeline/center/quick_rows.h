/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick rows: line integrals of some detector rows, for verbs that predict a run and start no StarPU. */
#pragma once

#include "input.h"

/* Rows of the detector, all columns, without binning. */
typedef struct SinoQuickRows {
    const SinoInput *input; /* not owned */
    SinoScanBox box;
    float *flat, *dark, *counts; /* [row][column]; means of at most 16 fields; owned */
} SinoQuickRows;

/* SINO_FAILED: the file cannot be read, or no memory; the caller closes the rows also then. */
SinoStatus sino_quick_rows_open(const SinoInput *input, int64_t first_row, int64_t row_count, SinoQuickRows *rows);
void sino_quick_rows_close(SinoQuickRows *rows);

/* integral[row][column]: line integrals of a projection; an undefined one is that of the column before. `rows` is a
 * SinoQuickRows. */
SinoStatus sino_quick_rows_read(void *rows, int64_t angle, float *integral);
