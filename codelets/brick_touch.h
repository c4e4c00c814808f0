/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick touch: which bricks of voxels the rows of a block meet, and OSEM's update of these alone. A small subset of the
 * rows meets few voxels; outside its bricks Aᵀ y and the sensitivity are 0, and the update changes nothing. */
#ifndef SINO_BRICK_TOUCH_H
#define SINO_BRICK_TOUCH_H

#include "brick.h"
#include "panel.h"
#include "update.h"

/* Bytes of a map of touched bricks, for vectors of so many voxel rows: a byte for each brick, and as many more as the
 * loops over maps read at a time. */
int64_t sino_brick_touched_bytes(int64_t voxel_rows);

/* touched[brick] = 1 if a row of the block has a brick there, else 0. */
void sino_brick_touched(const void *block, uint8_t *touched);

/* Vectors of voxels. x and g have panels of count sets; mask and weight have one value for each row. */
typedef struct SinoBrickTurn {
    SinoSlices slices;
    int64_t brick_count, lanes;
    const uint8_t *touched;
    const SinoSliceState *state; /* [slice_count] */
    const float *weight;         /* 1/s; 0: the voxel keeps its value */
    const float *mask;           /* of g; NULL: 1 */
} SinoBrickTurn;

/* In touched bricks: x = x · (g · mask) · weight where the weight is above 0 and the slice goes on, by the roundings of
 * SINO_UPDATE_VOXELS_MLEM (update_formulas.h); then g = 0. */
void sino_brick_turn(const SinoBrickTurn *turn, float *g, float *x);

#endif
