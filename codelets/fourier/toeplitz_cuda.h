/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz on a GPU: sino_toeplitz_product by cuFFT. cuda_stream.h gives the contract of launchers. A slice's result
 * does not depend on the other slices, to the last bit, nor on parts, since every transform has the same number of
 * rows. */
#pragma once

#include "cuda_stream.h"
#include "toeplitz.h"
#include "toeplitz_batch.h"

/* cuFFT's plans on the current device. Created, run and freed by one thread, which has the device as the current one;
 * run in one stream at a time. SINO_FAILED: no memory on the device, or cuFFT refuses. */
typedef struct SinoToeplitzCuda SinoToeplitzCuda;
SinoStatus sino_toeplitz_cuda_new(const SinoToeplitzBatch *batch, SinoToeplitzCuda **toeplitz);
void sino_toeplitz_cuda_free(SinoToeplitzCuda *toeplitz); /* takes NULL */

/* What a product reads of an operator and of the tiles. */
typedef struct SinoToeplitzTables {
    const float *spectrum; /* device: sino_toeplitz_spectrum */
    SinoTileMap map;       /* map.tile: device; map.part_rows: host */
    int64_t part_count;
} SinoToeplitzTables;

/* x[part], y[part]: host arrays of the vectors' addresses in the device's memory; NULL: a part without voxels. scratch:
 * device, aligned to 256 bytes. */
SinoStatus sino_toeplitz_product_cuda(cudaStream_t stream, const SinoToeplitzCuda *toeplitz,
                                      const SinoToeplitzTables *tables, SinoSlices slices, const float *const *x,
                                      void *scratch, float *const *y);
