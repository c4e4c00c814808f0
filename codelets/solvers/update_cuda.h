/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on a GPU: the functions of update.h. Vectors, states, sums, history->residual and *active are in device
 * memory, aligned to 16 bytes; the array `vector`, update and history are in host memory. cuda_stream.h gives the
 * contract of launchers. Step lengths, residuals and stops stay on the device.
 *
 * Sums are double, over a tree whose shape depends on the number of rows only. A slice's sums are therefore the same in
 * every run, on every device, and whatever its batch is. `workspace`: sino_update_cuda_workspace_bytes, aligned to 16
 * bytes; it holds nothing between calls; NULL: the formula has no sums. */
#ifndef SINO_UPDATE_CUDA_H
#define SINO_UPDATE_CUDA_H

#include "cuda_stream.h"
#include "status.h"
#include "update.h"

int64_t sino_update_cuda_workspace_bytes(SinoSlices slices);

SinoStatus sino_update_cuda(cudaStream_t stream, const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS],
                            const SinoSliceState *state, SinoSliceSums *sums, void *workspace);
SinoStatus sino_update_slices_cuda(cudaStream_t stream, SinoUpdateRule rule, SinoSlices slices, bool first,
                                   double argument, const SinoSliceSums *sums, SinoSliceState *state);
SinoStatus sino_update_residual_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceState *state,
                                     SinoSliceSums *sums);
SinoStatus sino_update_collect_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *part, bool first,
                                    SinoSliceSums *total);
SinoStatus sino_update_start_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                  SinoSliceState *state, const SinoHistory *history);
SinoStatus sino_update_record_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                   SinoSliceState *state, const SinoHistory *history, int64_t *active);

#endif
