/* SPDX-License-Identifier: BSD-3-Clause */
/* Task variation: variation_primal and variation_dual are the halves of a step that lowers the total variation of the
 * slices of a minibatch (codelets/solvers/variation.h), for one partition. Cores run both; devices too, where one
 * partition has all voxels, and a single CUDA GPU whose memory holds the vectors of all of up to 16 partitions. */
#ifndef SINO_VARIATION_TASK_H
#define SINO_VARIATION_TASK_H

#include "runtime.h"
#include "variation.h"

/* The tables variation.tile and variation.neighbour as data, for devices; NULL: for cores only. Not owned. */
typedef struct SinoTileTables {
    SinoData *tiles, *neighbours;
} SinoTileTables;

/* Whether devices may run the steps of a prior, of which a partition has this many vectors. */
bool sino_tiles_suit_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables,
                             int vector_count);

/* Bytes of so many vectors of the partition variation->part: of those of others a task reads the borders alone. */
int64_t sino_tiles_bytes(const SinoVariation *variation, int vector_count);

/* Vectors of the partitions, [part_count]; NULL where a partition has no voxels. Data are not owned. state:
 * SinoSliceState[slice]. */
typedef struct SinoVariationTask {
    SinoVariation variation; /* its tables outlive the task */
    SinoData *const *p, *const *q, *const *u;
    SinoData *state;
    SinoTileTables tables;
} SinoVariationTask;

/* u of the partition variation.part from z, and from p and q of all partitions. */
SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z);

/* p and q of the partition from u of all partitions. */
SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task);

#endif
