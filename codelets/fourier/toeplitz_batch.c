/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, batch: sizes of what a GPU transforms at a time. */
#include "toeplitz_batch.h"

#include "panel.h"
#include "toeplitz.h"
#include "transform_batch.h"

enum { COMPLEX_BYTES = 2 * sizeof(float) };

static int64_t column_bytes(int64_t side)
{
    return side * COMPLEX_BYTES;
}

SinoToeplitzBatch sino_toeplitz_batch(int64_t grid_size, int64_t batch_bytes)
{
    const int64_t side = sino_toeplitz_side(grid_size);
    SinoToeplitzBatch batch = {.size = grid_size, .side = side, .slices = 1};
    const int64_t fitting = sino_larger(batch_bytes / (side * (int64_t)sizeof(float)), 1); /* rows, but for padding */
    while (batch.slices < SINO_PANEL_MAX && sino_times(2 * batch.slices, grid_size) <= fitting) batch.slices *= 2;
    const int64_t rows = batch.slices * grid_size, columns = batch.slices * (side / 2 + 1);
    batch.rows = sino_transform_rows_of(rows, fitting);
    batch.all_rows = sino_ceil_multiple(rows, batch.rows);
    batch.columns = sino_transform_rows_of(columns, sino_larger(batch_bytes / column_bytes(side), 1));
    return batch;
}

int64_t sino_toeplitz_rows_bytes(const SinoToeplitzBatch *batch)
{
    return sino_ceil_multiple(sino_times(batch->all_rows, sino_transform_row_bytes(batch->side)),
                              SINO_TRANSFORM_ALIGNMENT);
}

int64_t sino_toeplitz_cuda_scratch_bytes(const SinoToeplitzBatch *batch)
{
    return sino_toeplitz_rows_bytes(batch) +
           sino_ceil_multiple(sino_times(batch->columns, column_bytes(batch->side)), SINO_TRANSFORM_ALIGNMENT);
}

/* cuFFT's work areas have at most the size of what it transforms, for lengths without large prime factors. */
int64_t sino_toeplitz_cuda_bytes(const SinoToeplitzBatch *batch)
{
    return sino_times(batch->rows, sino_transform_row_bytes(batch->side)) +
           sino_times(batch->columns, column_bytes(batch->side));
}
