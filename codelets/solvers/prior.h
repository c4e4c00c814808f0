/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior: the gradient of smooth priors of slices,
 *
 *     R(u) = Σ w_ij·δ·φ((u_i − u_j)/δ)  over all pairs of the 8 neighbours of each voxel,
 *
 * with w = √2 − 1 beside and above each other and 1 − 1/√2 at corners: weights of 1/distance, with which the border of
 * two regions costs its length times the step, horizontal or diagonal, if φ grows as its argument. δ is the threshold
 * of the differences that are smoothed; φ″ is 1 at 0, and nowhere above.
 *
 *     Huber (Ann. Math. Statist. 35, 73 (1964)): φ(t) = t²/2 for |t| ≤ 1, |t| − ½ beyond;
 *     qGGMRF (J.-B. Thibault, K. Sauer, C. Bouman, J. Hsieh, Med. Phys. 34, 4526 (2007)) with q = 2, p = 1.2:
 *         φ(t) = ½ t²/(1 + v) with v = |t|^(q − p), φ′(t) = t·(1 + p/q·v)/(1 + v)²;
 *         in MBIR's words δ = T·σ_x.
 *
 * Pairs across the border of the grid do not count. The Hessian of R is at most 4√2/δ.
 *
 * In 3-D R has the pairs of each voxel with those before and after it in the neighbouring slices, too, with
 * w = SINO_PRIOR_SLICE_WEIGHT, with which the border of two regions between slices costs its area times the step: the
 * neighbours of MBIR programs. The Hessian is at most (4√2 + 4w)/δ. */
#pragma once

#include "cuda_stream.h"
#include "variation.h"

#define SINO_PRIOR_CURVATURE        5.656854249492381 /* 4√2: of R, times δ */
#define SINO_PRIOR_SIDE_WEIGHT      (M_SQRT2 - 1)
#define SINO_PRIOR_CORNER_WEIGHT    (1 - M_SQRT1_2)
#define SINO_PRIOR_SLICE_WEIGHT     1.0
#define SINO_PRIOR_QGGMRF_P         1.2
#define SINO_PRIOR_CURVATURE_VOLUME (SINO_PRIOR_CURVATURE + 4 * SINO_PRIOR_SLICE_WEIGHT)

typedef enum SinoPriorFunction { SINO_PRIOR_HUBER, SINO_PRIOR_QGGMRF } SinoPriorFunction;

typedef struct SinoSmoothPrior {
    SinoVariation tiles; /* `least` is not read */
    SinoPriorFunction function;
    bool volume;      /* in 3-D; false: slices are not compared */
    double threshold; /* δ > 0 */
} SinoSmoothPrior;

/* z −= θ·∇R(u) for the voxels of prior->tiles.part; θ is the scalar SINO_FISTA_THRESHOLD of each slice's state.
 * u[part]: of all parts; those of parts that are no neighbours are not read. Elements outside of the grid are neither
 * read nor written. In 3-D before, after[voxel of the part]: the slices of u before the first one and after the last
 * one; NULL: there is none. */
void sino_prior_descend(const SinoSmoothPrior *prior, const void *const *u, const void *before, const void *after,
                        const SinoSliceState *state, void *z);

/* On a GPU. Memory, and the most parts, as of the functions of variation.h. */
SinoStatus sino_prior_descend_cuda(cudaStream_t stream, const SinoSmoothPrior *prior, const void *const *u,
                                   const void *before, const void *after, const SinoSliceState *state, void *z);
