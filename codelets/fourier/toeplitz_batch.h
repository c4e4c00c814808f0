/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, batch: how many slices, rows and columns a GPU transforms at a time (toeplitz_cuda.h). */
#pragma once

#include <stdint.h>

/* The size of rows, and of columns, that are transformed at a time: caches of GPUs hold both. Tests have others. */
enum { SINO_TOEPLITZ_BATCH_BYTES = 16 << 20 };

/* It depends on the size of slices alone, so that the rounding of a slice does not depend on the others. A row has
 * L + 2 real numbers, or L/2 + 1 complex ones, a column of frequencies L. */
typedef struct SinoToeplitzBatch {
    int64_t size, side; /* N, L */
    int64_t slices;     /* of a batch: a power of two */
    int64_t rows;       /* of a transform */
    int64_t all_rows;   /* of a batch: those of its slices, N each, in whole transforms */
    int64_t columns;    /* of a transform */
} SinoToeplitzBatch;

SinoToeplitzBatch sino_toeplitz_batch(int64_t grid_size, int64_t batch_bytes);

/* Bytes of the scratch memory of a product; of the device's memory that a SinoToeplitzCuda has, about. */
int64_t sino_toeplitz_cuda_scratch_bytes(const SinoToeplitzBatch *batch);
int64_t sino_toeplitz_cuda_bytes(const SinoToeplitzBatch *batch);

/* Bytes of the rows of a batch; columns follow them in the scratch memory. */
int64_t sino_toeplitz_rows_bytes(const SinoToeplitzBatch *batch);
