/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM: the update of an image of counts by a subset of the rows and a prior (block-sequential regularised EM, S. Ahn
 * and J. Fessler, IEEE Trans. Med. Imaging 22, 613 (2003)). Of S subsets, in the voxel j:
 *
 *     x_j += α · x_j/(s_j/S + β/S·b_j·x_j) · (g_j − s_j^subset − β/S·∂R/∂x_j),   x_j ≥ 10⁻⁶·m
 *     R = Σ κ_j·κ_k·w_jk·ψ(x_j, x_k)  over all pairs of neighbours, κ = √s
 *
 * g: Aᵀ(n · counts/ybar) of the subset; s^subset, s: the sensitivities to the subset and to all rows; m: the typical
 * value, Σx²/Σx of an early x; b_j: half of a bound of R's curvature, so that no β makes the step of α = 1 too long.
 * The image that it comes to does not depend on b. With b = 0 this is the step of Ahn and Fessler.
 *
 *     relative difference (J. Nuyts, D. Bequé, P. Dupont and L. Mortelmans, IEEE Trans. Nucl. Sci. 49, 56 (2002)):
 *         ψ = d²/(x_j + x_k + 2·|d| + m/1000),  d = x_j − x_k
 *     Huber: ψ = δ²·φ(d/δ)/m,  φ(t) = t²/2 for |t| ≤ 1, |t| − ½ beyond
 *
 * Both ψ grow as the image does, so that β does not depend on the units of counts or of the matrix. κ makes the
 * resolution uniform (J. Fessler and W. Rogers, IEEE Trans. Image Process. 5, 1346 (1996)): the likelihood's curvature
 * is about s/x. Voxels that no row meets have κ = 0 and are nobody's neighbours; they keep their value. */
#pragma once

#include "brick_order.h"
#include "cuda_stream.h"
#include "panel.h"
#include "update_formulas.h"

enum { SINO_BSREM_PLACES = 3 * 3 * 3 };

typedef struct SinoBsrem {
    SinoSlices slices;               /* count sets, in panels */
    int64_t rows;                    /* of vectors of voxels */
    int64_t first_row, row_count;    /* that are computed */
    int64_t count[3];                /* voxels along x, y and z */
    float weight[SINO_BSREM_PLACES]; /* w by place, of z −1, 0, 1, then y, then x; 0 in the middle */
    bool huber;
    float threshold;  /* δ/m */
    float relaxation; /* α */
    float share;      /* 1/S */
    float strength;   /* β; NaN: `usual` over √(m · sensitivity), the counts of a typical voxel */
    float usual;
    float sensitivity; /* the mean of s where it is above 0 */
} SinoBsrem;

/* Weights of 1/distance, whose sum is 1 for voxels inside, on a grid whose sides of voxels are known or, where one is
 * 0, alike. */
void sino_bsrem_weights(const SinoVoxelGrid *grid, float weight[SINO_BSREM_PLACES]);

/* g becomes the new x for the rows that are computed; slices that have stopped keep x. column[row], place[column]: of
 * the order. kappa, weight (1/s of the subset, or 0): [row]. state: [slice], with SINO_BSREM_TYPICAL = m. */
void sino_bsrem_voxels(const SinoBsrem *bsrem, const uint32_t *column, const uint32_t *place, const float *kappa,
                       const float *weight, const SinoSliceState *state, const float *x, float *g);

/* ---- of one voxel and slice, for cores and GPUs ---- */

/* What the neighbours do to a voxel: ∂R/∂x and b. */
typedef struct SinoBsremPull {
    float slope, bend;
} SinoBsremPull;

/* What belongs to a slice; state NULL: to padding. */
typedef struct SinoBsremSlice {
    bool going;
    float typical, strength; /* m; β/S */
} SinoBsremSlice;

/* β of a slice with this m. */
SINO_INLINE float sino_bsrem_strength(const SinoBsrem *bsrem, float typical)
{
    return bsrem->strength >= 0 ? bsrem->strength : bsrem->usual / sqrtf(typical * bsrem->sensitivity);
}

SINO_INLINE SinoBsremSlice sino_bsrem_slice(const SinoBsrem *bsrem, const SinoSliceState *state)
{
    const bool going = state && !state->stopped && state->scalar[SINO_BSREM_TYPICAL] > 0;
    const float typical = going ? (float)state->scalar[SINO_BSREM_TYPICAL] : 1;
    const SinoBsremSlice slice = {going, typical, bsrem->share * sino_bsrem_strength(bsrem, typical)};
    return slice;
}

/* Adds a pair of weight w: of x with its neighbour y. */
SINO_INLINE SinoBsremPull sino_bsrem_pair(const SinoBsrem *bsrem, float typical, float w, float x, float y,
                                          SinoBsremPull pull)
{
    const float difference = x - y, size = fabsf(difference);
    if (bsrem->huber) {
        const float steep = size / (bsrem->threshold * typical), per = w / (typical * (steep > 1 ? steep : 1));
        pull.slope += per * difference;
        pull.bend += per;
    } else {
        const float least = 1e-3F * typical, per = 1 / (x + y + 2 * size + least);
        pull.slope += w * per * per * difference * (2 * size + x + 3 * y + 2 * least);
        pull.bend += 2 * w * per;
    }
    return pull;
}

/* The new x. */
SINO_INLINE float sino_bsrem_next(const SinoBsrem *bsrem, SinoBsremSlice slice, float kappa, float weight,
                                  SinoBsremPull pull, float x, float g)
{
    const float own = weight > 0 ? 1 / weight : 0, prior = slice.strength * kappa;
    const float step = x / (kappa * kappa * bsrem->share + prior * pull.bend * x);
    const float next = x + bsrem->relaxation * step * (g - own - prior * pull.slope), least = 1e-6F * slice.typical;
    return next > least ? next : least;
}

/* The column of the neighbour at place i of `weight`; −1: the pair does not count. */
SINO_INLINE int64_t sino_bsrem_beside(const SinoBsrem *bsrem, int64_t column, int i)
{
    const int64_t width = bsrem->count[0], height = bsrem->count[1];
    const int64_t x = column % width + i % 3 - 1, y = column / width % height + i / 3 % 3 - 1;
    const int64_t z = column / (width * height) + i / 9 - 1;
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < width && y < height && z < bsrem->count[2];
    return inside && bsrem->weight[i] > 0 ? (z * height + y) * width + x : -1;
}

/* sino_bsrem_voxels on a GPU, with everything but the first argument in device memory (cuda_stream.h). */
SinoStatus sino_bsrem_voxels_cuda(cudaStream_t stream, const SinoBsrem *bsrem, const uint32_t *column,
                                  const uint32_t *place, const float *kappa, const float *weight,
                                  const SinoSliceState *state, const float *x, float *g);
