/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase, batch: the memory that phase retrieval takes on a GPU. */
#include "phase_batch.h"

#include "arithmetic.h"
#include "phase_cuda.h"
#include "phase_private.h"
#include "transmission.h"

/* Approximate size of the rows of one transform, and their largest number. */
enum { TRANSFORM_BYTES = 4 << 20, TRANSFORM_ROWS = 1024 };

int64_t sino_phase_row_bytes(const SinoPhaseOptions *options)
{
    return sino_times(sino_phase_padded(options) + 2, (int64_t)sizeof(float));
}

int64_t sino_phase_transform_rows(const SinoPhaseOptions *options)
{
    return sino_smaller(sino_larger(TRANSFORM_BYTES / sino_phase_row_bytes(options), 1), TRANSFORM_ROWS);
}

int64_t sino_phase_angle_bytes(const SinoPhaseOptions *options, int64_t lines, int64_t rows, int64_t columns)
{
    const int64_t row_bytes = sino_phase_row_bytes(options), image = sino_times(columns, (int64_t)sizeof(float));
    return sino_times(lines, row_bytes + options->column_count + (int64_t)sizeof(int)) +
           sino_times(rows, row_bytes + image);
}

int64_t sino_phase_cuda_bytes(const SinoPhaseOptions *options)
{
    const int64_t kernel = sino_times(sino_phase_reach(options) + 1, sino_phase_stride(options));
    const int64_t work = sino_times(sino_phase_transform_rows(options), sino_phase_row_bytes(options));
    return sino_times(kernel, (int64_t)sizeof(float)) + work;
}

int64_t sino_phase_cuda_scratch_bytes(const SinoPhaseOptions *options, const SinoCorrection *correction)
{
    enum { ARRAYS = 7, ROUNDED = 2 /* to whole transforms: rows with those beside, and rows of the result */ };
    const int64_t rows = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t lines = rows + 2 * sino_phase_reach(options);
    const int64_t rounding = sino_times(sino_phase_transform_rows(options), sino_phase_row_bytes(options));
    return sino_correct_cuda_workspace_bytes(correction) + sino_times(lines, (int64_t)sizeof(SinoTransmissionBounds)) +
           (int64_t)ARRAYS * SINO_IMAGES_ALIGNED + SINO_IMAGES_BATCH_BYTES + ROUNDED * rounding +
           sino_phase_angle_bytes(options, lines, rows, options->column_count);
}
