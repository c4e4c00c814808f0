/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch: OSEM's update of the voxels that the rows of a subset meet. A small subset meets few voxels; outside its
 * bricks Aᵀ y and the sensitivity are 0, and the update changes nothing. So the weights of a subset are packed: those
 * of its bricks alone, which a run reads in each iteration, in place of a weight for every voxel.
 *
 *     SinoBrickWeights | uint32 brick[brick_count] | uint32 mask[brick_count] | float value[value_count]
 *         | SINO_BRICK_TAIL bytes that kernels may read
 *
 * A block's bricks ascend. mask: bit r set when the weight of voxel r of the brick is above 0; values follow in the
 * order of bits. Masks may be 0. */
#pragma once

#include "brick.h"
#include "panel.h"
#include "update.h"

typedef struct SinoBrickWeights {
    int64_t brick_count, value_count;
} SinoBrickWeights;

/* Bytes of the weights of any block, for vectors of so many voxel rows, at most. */
int64_t sino_brick_weights_bytes(int64_t voxel_rows);

/* Packs the weights of the voxels, [brick_count · lanes of the block], in the bricks that a row of the block meets, or
 * in all bricks if `everywhere`. `to`: sino_brick_weights_bytes, of which only the bytes that are needed are written.
 * Errors: SINO_FAILED without memory. */
SinoStatus sino_brick_weights_pack(const void *block, const float *weight, bool everywhere, SinoBrickWeights *to);

/* Vectors of voxels. x and g have panels of count sets; mask has one value for each row. */
typedef struct SinoBrickTurn {
    SinoSlices slices;
    int64_t brick_count, lanes;
    const SinoBrickWeights *weights; /* 1/s */
    const SinoSliceState *state;     /* [slice_count] */
    const float *mask;               /* of g; NULL: 1 */
} SinoBrickTurn;

/* In the bricks that have weights: x = x · (g · mask) · weight where the weight is above 0 and the slice goes on, by
 * the roundings of SINO_UPDATE_VOXELS_MLEM (update_formulas.h); then g = 0. */
void sino_brick_turn(const SinoBrickTurn *turn, float *g, float *x);
