/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt, part: what one call makes of the detector, the rows that this depends on, and the memory that it takes on a
 * GPU. */
#include "arithmetic.h"
#include "correct_cuda.h"
#include "tilt_cuda.h"
#include "tilt_private.h"
#include "transmission.h"

#include <math.h>

/* Rows beside a pixel that its cubic and roundings reach. */
enum { REACH = 3 };

int64_t sino_tilt_halo(const SinoTilt *tilt)
{
    const double across = (double)tilt->column_count / 2 * fabs(sin(tilt->angle_rad));
    const double along = (double)tilt->row_count / 2 * (1 - cos(tilt->angle_rad));
    return sino_tilt_wanted(tilt) ? (int64_t)ceil(across + along + tilt->reach) + REACH : 0;
}

static int64_t phase_halo(const SinoPhaseOptions *phase)
{
    return phase ? sino_phase_halo(phase) : 0;
}

int64_t sino_tilt_image_rows(const SinoPhaseOptions *phase, int64_t rows)
{
    return rows + 2 * phase_halo(phase);
}

/* The rows that an image depends on: its corners lie farthest. */
static void find_rows(const SinoTilt *tilt, const SinoCorrection *correction, SinoTiltPart *part)
{
    const double sine = sin(tilt->angle_rad), cosine = cos(tilt->angle_rad);
    const double middle = (double)(tilt->row_count - 1) / 2, center = (double)(tilt->column_count - 1) / 2;
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double row = (double)(i % 2 ? part->first + part->rows - 1 : part->first) - middle;
        const double column = (double)(i / 2 ? part->first_column + part->column_count - 1 : part->first_column);
        const double at = middle + row * cosine - (column - center) * sine;
        least = fmin(least, at - tilt->reach);
        most = fmax(most, at + tilt->reach);
    }
    const int64_t last = tilt->image_row + correction->row_count - 1;
    const int64_t begin = sino_larger(sino_smaller((int64_t)floor(least) - 1, last), tilt->image_row);
    part->from_first = begin;
    part->from_rows = sino_larger(sino_smaller((int64_t)floor(most) + 2, last), begin) - begin + 1;
}

SinoTiltPart sino_tilt_part(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction)
{
    const int64_t begin = tilt->image_row + correction->first_row;
    const int64_t end = begin + sino_times(correction->slices.slice_count, correction->binning);
    SinoTiltPart part = {.first = sino_larger(begin - phase_halo(phase), 0),
                         .first_column = phase ? 0 : tilt->first_column,
                         .column_count = phase ? tilt->column_count : correction->column_count};
    part.rows = sino_smaller(end + phase_halo(phase), tilt->row_count) - part.first;
    find_rows(tilt, correction, &part);
    return part;
}

SinoCorrection sino_tilt_after(const SinoTilt *tilt, const SinoTiltPart *part, const SinoCorrection *correction)
{
    SinoCorrection after = *correction;
    after.input = SINO_CORRECT_FLOAT32;
    after.row_count = part->rows;
    after.first_row = tilt->image_row + correction->first_row - part->first;
    after.flat_field = false;
    after.saturation = after.plausible = 0;
    return after;
}

int64_t sino_tilt_angle_bytes(const SinoTilt *tilt, int64_t lines, int64_t pixels)
{
    const int64_t value_bytes = (int64_t)(sizeof(float) + sizeof(uint8_t)), line_bytes = (int64_t)sizeof(int);
    return sino_times(lines, sino_times(tilt->column_count, value_bytes) + line_bytes) +
           sino_times(pixels, (int64_t)sizeof(float));
}

int64_t sino_tilt_own_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction)
{
    enum { ARRAYS = 6 };
    const int64_t own = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t rows = sino_tilt_image_rows(phase, own);
    const int64_t lines = rows + 2 * sino_tilt_halo(tilt), pixels = sino_times(rows, tilt->column_count);
    const int64_t bytes =
        sino_correct_cuda_workspace_bytes(correction) + sino_times(lines, (int64_t)sizeof(SinoTransmissionBounds)) +
        (int64_t)ARRAYS * SINO_IMAGES_ALIGNED + SINO_IMAGES_BATCH_BYTES + sino_tilt_angle_bytes(tilt, lines, pixels);
    return sino_ceil_multiple(bytes, SINO_IMAGES_ALIGNED);
}

int64_t sino_tilt_cuda_scratch_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase,
                                     const SinoCorrection *correction)
{
    const int64_t own = sino_tilt_own_bytes(tilt, phase, correction);
    return own + (phase ? sino_phase_cuda_scratch_bytes(phase, correction) : 0);
}
