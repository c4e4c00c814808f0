/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR: a block (block.h) as a sparse matrix by rows, for libraries to compare with. */
#pragma once

#include "trace.h"

/* Rows and columns along Hilbert curves: rays by angle and column, voxels by row and column of the slice. */
typedef struct Csr {
    int64_t row_count, column_count, nonzero_count;
    int64_t *offset; /* [row_count + 1]; owned */
    int32_t *column; /* ascending in each row; owned */
    float *length;   /* owned */
} Csr;

/* A, of a single precision block whose rays are all rays, and of all tiles. Ends the program when memory is short. */
Csr csr_of_block(const SinoBlockHeader *block, const SinoLayout *layout, const SinoTilePlace *tile);
Csr csr_transposed(const Csr *matrix);
void csr_free(Csr *matrix);
