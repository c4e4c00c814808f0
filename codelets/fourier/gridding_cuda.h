/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding on a GPU: sino_gridding_adjoint by cuFFT. cuda_stream.h gives the contract of launchers. A slice's result
 * does not depend on the other slices, to the last bit, nor on parts, since every transform has the same number of rows
 * and every sum one order. */
#pragma once

#include "cuda_stream.h"
#include "gridding_batch.h"
#include "tile_rows.h"

/* A scan, for GPUs. Nothing is owned; the arrays outlive the SinoGriddingCuda. */
typedef struct SinoGriddingScan {
    SinoGriddingBatch batch;
    const SinoGriddingRay *ray; /* [K]: sino_gridding_rays */
    SinoTileMap map;            /* of the host */
    int64_t part_count;
} SinoGriddingScan;

/* Plans of cuFFT and copies of the tables on the current device. Created, run and freed by one thread, which has the
 * device as the current one; run in one stream at a time. SINO_FAILED: no memory, or cuFFT refuses. */
typedef struct SinoGriddingCuda SinoGriddingCuda;
SinoStatus sino_gridding_cuda_new(const SinoGriddingScan *scan, SinoGriddingCuda **gridding);
void sino_gridding_cuda_free(SinoGriddingCuda *gridding); /* takes NULL */

/* b: device. x[part]: host array of the vectors' addresses in the device's memory; NULL: a part without voxels.
 * scratch: device, aligned to 256 bytes. */
SinoStatus sino_gridding_adjoint_cuda(cudaStream_t stream, const SinoGriddingCuda *gridding, SinoSlices slices,
                                      const float *b, void *scratch, float *const *x);
