/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on a GPU: the functions of update.h, where vectors, states, weights and history->residual are in device
 * memory, on 16 bytes (cuda_stream.h says what launchers promise). Step lengths, residuals and stopping stay on the
 * device.
 *
 * Sums are in double over a tree whose shape depends on the number of rows only, so that a slice's are the same from
 * run to run, on every device, and whatever it is batched with. `workspace`, on 16 bytes, has
 * sino_update_cuda_workspace_bytes; nothing stays in it. */
#ifndef SINO_UPDATE_CUDA_H
#define SINO_UPDATE_CUDA_H

#include "cuda_stream.h"
#include "status.h"
#include "update.h"

int64_t sino_update_cuda_workspace_bytes(SinoSlices slices);

SinoStatus sino_update_sums_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const void *v, const void *w,
                                 bool first, SinoSliceSums *sums, void *workspace);
SinoStatus sino_update_collect_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *part, bool first,
                                    SinoSliceSums *total);

SinoStatus sino_update_start_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                  SinoSliceState *state, const SinoHistory *history);
SinoStatus sino_update_step_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                 SinoSliceState *state);
SinoStatus sino_update_residual_cg_cuda(cudaStream_t stream, SinoSlices slices, int64_t ray_count, const void *q,
                                        const SinoSliceState *state, void *r, SinoSliceSums *sums, void *workspace);
SinoStatus sino_update_record_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                   SinoSliceState *state, const SinoHistory *history, int64_t *active);
SinoStatus sino_update_direction_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums, bool first,
                                      SinoSliceState *state);

SinoStatus sino_update_voxels_cg_cuda(cudaStream_t stream, SinoSlices slices, int64_t voxel_count, const void *g,
                                      const SinoSliceState *state, bool first, void *g0, void *d, void *x);

SinoStatus sino_update_residual_sirt_cuda(cudaStream_t stream, SinoSlices slices, int64_t ray_count, const void *b,
                                          const void *row_weight, bool first, void *w, SinoSliceSums *sums,
                                          void *workspace);

SinoStatus sino_update_voxels_sirt_cuda(cudaStream_t stream, SinoSlices slices, int64_t voxel_count, const void *g,
                                        const void *column_weight, const SinoSliceState *state, double relaxation,
                                        bool nonnegativity, bool first, void *x);

SinoStatus sino_update_reciprocal_cuda(cudaStream_t stream, SinoPrecision precision, int64_t count, void *value);
SinoStatus sino_update_fill_one_cuda(cudaStream_t stream, SinoPrecision precision, int64_t count, void *value);

#endif
