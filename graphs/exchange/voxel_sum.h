/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel sum: adds up a vector of voxels over the ranks that share the slices, all of which have all voxels. Each rank
 * adds up one segment of the vector, in the order of ranks, and sends the sum to the others: a rank sends and receives
 * the vector twice, whatever the number of ranks. */
#pragma once

#include "partial_sums.h"

typedef struct SinoVoxelSum SinoVoxelSum;

/* For vectors of at most `elements` floats. *sum NULL: there is one rank. sums: of the same minibatch; not owned.
 * `number` is unique among the minibatch's, and goes into message tags. */
SinoStatus sino_voxel_sum_new(SinoRuntime *runtime, SinoPartialSums *sums, int64_t number, int64_t elements,
                              SinoVoxelSum **sum);
void sino_voxel_sum_free(SinoVoxelSum *sum); /* takes NULL */

/* Bytes of a sum over rank_count ranks. */
int64_t sino_voxel_sum_bytes(int64_t elements, int64_t rank_count);

/* Inserts the tasks and messages of voxels += those of all other ranks, with the same bits on every rank; the next sum
 * waits for them. Takes NULL. */
SinoStatus sino_insert_voxel_sum(SinoVoxelSum *sum, SinoPosition position, int64_t elements, SinoData *voxels);
