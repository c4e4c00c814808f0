/* SPDX-License-Identifier: BSD-3-Clause */
/* Band: the priors of variation.h and prior.h, of a volume that is divided into bands of rows of the image. A band's
 * vectors are float[row][x][z], so that the voxels above a point follow each other.
 *
 * Unlike slices of a scan, all voxels have one θ, which is the scalar SINO_FISTA_THRESHOLD of the only state, and dual
 * steps are 1/(12θ) in 3-D, 1/(8θ) in 2-D; 0 where θ is 0. */
#pragma once

#include "cuda_stream.h"
#include "prior.h"

typedef struct SinoBand {
    int64_t row_count, x_count, z_count;
    int64_t above_rows; /* of the band above; 0: there is none */
    bool volume;        /* the priors are in 3-D; false: slices are not compared */
    bool rising;        /* slice z has 2^z θ; z_count is a power of two up to 32 */
    double least, most; /* of u; −∞ and ∞: none */
} SinoBand;

/* The halves of a step that lowers the total variation. above: q of the band above; below: u of the band below; of both
 * the row next to this band is read; NULL: there is none. r: in 3-D. */
void sino_band_primal(const SinoBand *band, const float *z, const float *p, const float *q, const float *r,
                      const float *above, const SinoSliceState *state, float *u);
void sino_band_dual(const SinoBand *band, const float *u, const float *below, const SinoSliceState *state, float *p,
                    float *q, float *r);

/* z −= θ·∇R(u) of a smooth prior. above, below: u of the bands beside. prior->tiles is not read. */
void sino_band_descend(const SinoBand *band, const SinoSmoothPrior *prior, const float *u, const float *above,
                       const float *below, const SinoSliceState *state, float *z);

/* On a GPU, with vectors and the state in device memory (cuda_stream.h). */
SinoStatus sino_band_primal_cuda(cudaStream_t stream, const SinoBand *band, const float *z, const float *p,
                                 const float *q, const float *r, const float *above, const SinoSliceState *state,
                                 float *u);
SinoStatus sino_band_dual_cuda(cudaStream_t stream, const SinoBand *band, const float *u, const float *below,
                               const SinoSliceState *state, float *p, float *q, float *r);
SinoStatus sino_band_descend_cuda(cudaStream_t stream, const SinoBand *band, const SinoSmoothPrior *prior,
                                  const float *u, const float *above, const float *below, const SinoSliceState *state,
                                  float *z);
