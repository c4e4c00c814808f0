/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase: phase retrieval for an object of one material, of a beam that has propagated from the object to the detector.
 * The transmission T of a projection becomes
 *
 *     T' = F⁻¹[ H(u, v)·F[T] ],    L² = δ/β · λ·z/(4π) / pixel²
 *
 * with angular frequencies u, v in radians per pixel, and one of
 *
 *     Paganin      H = 1/(1 + L²·(u² + v²))                    Paganin et al., J. Microscopy 206, 33 (2002)
 *     generalised  H = 1/(1 + 2·L²·(2 − cos u − cos v))        Paganin et al., J. Optics 22, 115607 (2020)
 *     CTF          H = 1/(cos χ + δ/β·sin χ), χ = λ·z/(4π)/pixel²·(u² + v²), which is at most SINO_PHASE_CTF_MAX
 *                  Cloetens et al., Appl. Phys. Lett. 75, 2912 (1999); of one material: Turner et al., Opt. Express 12,
 *                  2960 (2004)
 *
 * The first is nabu's 1/(1 + δ/β·λ·z·π·f²) with f in cycles per length, and TomoPy's β/δ / (λ·z·w²/(4π) + β/δ) with w
 * in radians per length. Line integrals are −ln T', or, `weak`, 1 − T': with Paganin's H the modified Bronnikov
 * algorithm (Groso, Abela, Stampanoni, Opt. Express 14, 8103 (2006)), whose α is 1/L².
 *
 * Beyond the detector T is that of its outermost pixels. Along the rows the filter is exact, by FFT. Along the columns
 * each frequency u has a kernel of its own, cut off where Paganin's has fallen to 10⁻⁴, SINO_PHASE_REACH/√(1/L² + u²)
 * rows and 16 to each side; its sum is kept. A row therefore depends on a known number of rows beside it, and on
 * nothing else. */
#pragma once

#include "correct.h"

/* −ln 10⁻⁴, and the largest L, in pixels. */
#define SINO_PHASE_REACH     9.2
#define SINO_PHASE_RANGE_MAX 400.0

/* Largest χ of the highest frequencies, before the transfer function falls to 0 near π. */
#define SINO_PHASE_CTF_MAX 3.0

typedef enum SinoPhaseFilter { SINO_PHASE_PLAIN, SINO_PHASE_GENERALISED, SINO_PHASE_CTF } SinoPhaseFilter;

typedef struct SinoPhaseOptions {
    SinoPhaseFilter filter;
    bool weak;            /* line integrals are 1 − T' */
    double range;         /* L, in pixels, above 0 and at most SINO_PHASE_RANGE_MAX */
    double delta_beta;    /* of SINO_PHASE_CTF */
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

/* sino_correct with the filter before binning and logarithm. counts, flat and dark have all columns
 * of the detector, and row_count rows from its row image_row on: the slices' own and, as far as the detector goes,
 * those of the halo before and after. Values that are undefined before the filter are interpolated for it, and stay
 * undefined. If the correction has an image, its rows take the place of the counts. Rows are the same, to the bit,
 * whatever rows are made with them. */
SinoStatus sino_phase_correct(const SinoPhase *phase, const SinoCorrection *correction, int64_t image_row,
                              const void *counts, const float *flat, const float *dark, void *scratch, void *sinogram,
                              int64_t *repaired, int64_t *tally);
