/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt: turns and shifts projections back. The detector was turned about the beam, so that the image of the rotation
 * axis leans, or it was shifted from projection to projection.
 *
 * With the angle τ, positive if the axis lies at larger columns in lower rows, and the shift (d, e) of a projection in
 * columns and rows, pixel (r, c) becomes the value at
 *
 *     row    r₀ + (r − r₀)·cos τ − (c − c₀)·sin τ + e
 *     column c₀ + (r − r₀)·sin τ + (c − c₀)·cos τ + d
 *
 * of the transmissions, where (r₀, c₀) is the middle of the detector, by cubic convolution (Keys, IEEE Trans. ASSP 29,
 * 1153 (1981)). A transmission is at least half of the smallest of the four pixels around, which keeps the logarithm
 * finite where the cubic falls below 0 beside an edge. What lies outside the detector, or nearest to a pixel whose
 * value is undefined, is undefined; other undefined values are interpolated along their row. */
#pragma once

#include "phase.h"
#include "view.h"

typedef struct SinoTilt {
    double angle_rad;                /* τ; 0: none */
    int64_t row_count, column_count; /* of the detector */
    int64_t first_column;            /* of the result, whose columns are those of the correction */
    int64_t image_row;               /* row of the detector that is the first of the counts */
    const SinoShift *shift;          /* [angle of the correction]; on cores alone; not owned; NULL: none */
    double reach;                    /* largest shift of a row, of any angle */
} SinoTilt;

static inline bool sino_tilt_wanted(const SinoTilt *tilt)
{
    return tilt->angle_rad != 0 || tilt->shift;
}

/* Rows to each side that a row depends on. */
int64_t sino_tilt_halo(const SinoTilt *tilt);

/* Bytes of the scratch memory of one call that makes `rows` rows of the detector, 64-byte aligned. phase: the filter
 * that follows; NULL: none. */
int64_t sino_tilt_scratch_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, int64_t rows);

/* sino_correct, or sino_phase_correct unless `phase` is NULL, of the projections upright. counts, flat and dark have
 * all columns of the detector, and row_count rows from image_row on: as far as the detector goes, those of the halo of
 * the tilt, and of the halo of `phase`, before and after the slices' own. */
SinoStatus sino_tilt_correct(const SinoTilt *tilt, const SinoPhase *phase, const SinoCorrection *correction,
                             const void *counts, const float *flat, const float *dark, void *scratch, void *sinogram,
                             int64_t *repaired, int64_t *tally);
