/* SPDX-License-Identifier: BSD-3-Clause */
/* Air: normalises each row of each projection to the light beside the object. The beam may lose or win light during the
 * scan, also unevenly, after its flat fields were taken; the outermost columns, which see air, tell how much.
 *
 *     p'(c) = p(c) + ln(L + (R − L)·c/(M − 1))
 *
 * with the means L and R of the transmissions exp(−p) of the first and last columns: a line between them divides the
 * transmission, as in TomoPy's normalize_bg. */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

typedef struct SinoAir {
    int64_t angle_count, column_count; /* K, M of the sinograms */
    int64_t width;                     /* columns of air at each side, 1 … M */
} SinoAir;

/* Normalises in place. Angle k has the rays place[k]·M + c of the sinogram, in panels (panel.h); place NULL: k. Values
 * −0 are undefined (correct.h): they stay, and no mean includes them. Where one side has no defined value, the other
 * side's mean serves both; where neither has one, the row stays. Padding is unchanged. Safe from many threads at once.
 */
void sino_air_normalise(const SinoAir *air, SinoSlices slices, const int64_t *place, void *sinogram);

/* On a GPU, with the sinogram and `place` in device memory (cuda_stream.h). Means and the line between them are
 * double; the logarithm that is added to a sinogram in single precision is single, too. A slice's result does not
 * depend on the others. */
SinoStatus sino_air_normalise_cuda(cudaStream_t stream, const SinoAir *air, SinoSlices slices, const int64_t *place,
                                   void *sinogram);
