/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase: Paganin's phase retrieval for one material, of a beam that has propagated from the object to the detector
 * (Paganin, Mayo, Gureyev, Miller, Wilkins, J. Microscopy 206, 33 (2002)). The transmission T of a projection becomes
 *
 *     T' = F⁻¹[ F[T] / (1 + L²·(u² + v²)) ],    L² = δ/β · λ·z/(4π) / pixel²
 *
 * with angular frequencies u, v in radians per pixel. That is nabu's 1/(1 + δ/β·λ·z·π·f²) with f in cycles per length,
 * and TomoPy's β/δ / (λ·z·w²/(4π) + β/δ) with w in radians per length. Line integrals are −ln T'.
 *
 * Beyond the detector T is that of its outermost pixels. Along the rows the filter is exact, by FFT. Along the columns
 * each frequency u has a kernel of its own, cut off SINO_PHASE_REACH·L rows to each side, where it has fallen to 10⁻⁴;
 * its sum is kept. A row therefore depends on a known number of rows beside it, and on nothing else. */
#ifndef SINO_PHASE_H
#define SINO_PHASE_H

#include "correct.h"

/* −ln 10⁻⁴, and the largest L, in pixels. */
#define SINO_PHASE_REACH     9.2
#define SINO_PHASE_RANGE_MAX 400.0

typedef struct SinoPhaseOptions {
    double range;         /* L, in pixels, above 0 and at most SINO_PHASE_RANGE_MAX */
    int64_t column_count; /* of the detector */
    int64_t first_column; /* of the result, whose columns are those of the correction */
} SinoPhaseOptions;

/* Rows to each side that a row depends on. */
int64_t sino_phase_halo(const SinoPhaseOptions *options);

/* A filter. Create and free on one thread at a time, while no other thread uses FFTW's planner; many threads may run it
 * at once. SINO_FAILED: no memory. */
typedef struct SinoPhase SinoPhase;
SinoStatus sino_phase_new(const SinoPhaseOptions *options, SinoPhase **phase);
void sino_phase_free(SinoPhase *phase); /* takes NULL */
const SinoPhaseOptions *sino_phase_options(const SinoPhase *phase);

/* Bytes of the scratch memory of one call that makes `rows` rows of the detector, 64-byte aligned. */
int64_t sino_phase_scratch_bytes(const SinoPhaseOptions *options, int64_t rows);

/* sino_correct with the filter before binning and logarithm. counts, flat and dark have all columns of the detector,
 * and row_count rows: the slices' own and, as far as the detector goes, those of the halo before and after. Values that
 * are undefined before the filter are interpolated for it, and stay undefined. If the correction has an image, its rows
 * take the place of the counts. */
SinoStatus sino_phase_correct(const SinoPhase *phase, const SinoCorrection *correction, const void *counts,
                              const float *flat, const float *dark, void *scratch, void *sinogram, int64_t *repaired,
                              int64_t *tally);

#endif
