/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick mirror: the mirrored images of a vector of voxels, side by side, for the products of a folded block (brick.h).
 *
 * Vectors of voxels are those of brick_order.h with `stride` sets, in one panel; vectors of orientations have
 * orientation_count · stride lanes: lane k·stride + s of a row is set s of the voxel to which orientation k takes the
 * row's voxel. Each orientation is its own inverse. */
#pragma once

#include "brick_order.h"

typedef struct SinoBrickMirror {
    const SinoBrickOrder *order; /* of the voxels of `grid`; not owned */
    SinoVoxelGrid grid;
    int mirrors; /* bits SINO_MIRROR_X … */
} SinoBrickMirror;

/* Orientations of a voxel vector; 1: there are no mirrors. */
static inline int64_t sino_brick_mirror_count(const SinoBrickMirror *mirror)
{
    return sino_orientation_count(mirror->mirrors);
}

/* to[row][k·stride + s] = x[mirrored row][s]; 0 in padding rows. */
void sino_brick_mirror_spread(const SinoBrickMirror *mirror, int64_t stride, const float *x, float *to);

/* x[row][s] = Σ_k from[mirrored row][k·stride + s], in the order of k; 0 in padding rows: the adjoint of the above. */
void sino_brick_mirror_sum(const SinoBrickMirror *mirror, int64_t stride, const float *from, float *x);
