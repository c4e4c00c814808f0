/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: sino_stripes_run with sinogram, `place` and scratch memory in device memory. cuda_stream.h gives
 * the contract of launchers. A slice's result does not depend on the others. Sorting has the bits of the CPU's where no
 * value is undefined; values that are interpolated for undefined ones may differ in the last bit. */
#pragma once

#include "cuda_stream.h"
#include "stripes.h"

/* Bytes of the scratch memory, aligned to 16 bytes; it holds nothing between calls. 0: nothing is removed. */
int64_t sino_stripes_cuda_scratch_bytes(const SinoStripesOptions *options);

SinoStatus sino_stripes_run_cuda(cudaStream_t stream, const SinoStripesOptions *options, SinoSlices slices,
                                 const int64_t *place, bool marked, void *scratch, void *sinogram);
