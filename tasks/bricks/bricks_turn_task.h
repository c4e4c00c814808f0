/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bricks_turn: what OSEM does between the sweeps of two subsets, and the second sweep, at once. A subset of few
 * rows takes less time than tasks and passes over all voxels do; this task reads and writes the voxels that the rows of
 * the two subsets meet. One task has the whole subset: its matrix is one row partition, on one rank. Only cores run it.
 */
#pragma once

#include "brick_task.h"

/* Data of the turn. weights NULL: there was no sweep before, and all of g becomes 0 instead. */
typedef struct SinoBricksTurn {
    SinoData *weights; /* of the subset that was swept last, from bricks_weights */
    SinoData *state;   /* of the slices (SinoSliceState) */
    SinoData *mask;    /* of g, [voxel]; NULL: none */
    SinoData *x;       /* becomes x · (g · mask) · weight */
    SinoData *g;       /* of the last sweep; becomes that of this one; 0 in bricks without weights */
    SinoData *part;    /* SinoBrickSums[stride], memory of the task's own */
    SinoData *all;     /* SinoSliceSums[stride]: squares and log-likelihood */
    SinoData *lost;    /* double[stride]: counts that no voxel explains */
    bool add;          /* to the sums; else they start */
} SinoBricksTurn;

/* Packs the weights 1/s of a subset (brick_touch.h), [voxel], in the bricks that its block touches. everywhere: weights
 * are above 0 where no row of the subset meets a voxel, and every brick counts as touched. packed:
 * sino_brick_weights_bytes. */
SinoStatus sino_insert_bricks_weights(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *weight, bool everywhere, SinoData *packed);

/* Updates x by g, and sweeps the block: part->row_count is part->rows. */
SinoStatus sino_insert_bricks_turn(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                   SinoData *block, const SinoBrickVectors *vectors, const SinoBricksTurn *turn);
