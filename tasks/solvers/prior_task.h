/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the priors of a minibatch's slices, for one partition: variation_primal and variation_dual are the halves of
 * a step that lowers the total variation (codelets/solvers/variation.h), prior is a step down the gradient of a smooth
 * prior (codelets/solvers/prior.h). In 3-D, with the slices beside the minibatch, they are volume_primal, volume_dual
 * and volume_prior.
 *
 * Cores run all; a single CUDA GPU, too, if its memory holds the vectors of all of up to 16 partitions; several CUDA
 * GPUs, and other devices in 2-D the halves, where one partition has all voxels. */
#pragma once

#include "prior.h"
#include "runtime.h"

/* The tables variation.tile and variation.neighbour as data, for devices; NULL: for cores only. Not owned. */
typedef struct SinoTileTables {
    SinoData *tiles, *neighbours;
} SinoTileTables;

/* The tables where devices may run a task with so many vectors and bytes of scratch memory; NULL: cores run it. */
SinoTileTables sino_tile_tables_choose(const SinoRuntime *runtime, const SinoVariation *variation,
                                       SinoTileTables tables, int vector_count, int64_t scratch_bytes);

/* Whether devices may run the tasks of a prior in 3-D, of all partitions of a minibatch. */
bool sino_volume_prior_suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables);

/* Vectors of the partitions, [part_count]; NULL where a partition has no voxels. r NULL: in 2-D. Data are not owned.
 * state: SinoSliceState[slice]. */
typedef struct SinoVariationTask {
    SinoVariation variation; /* its tables outlive the task */
    SinoData *const *p, *const *q, *const *r, *const *u;
    SinoData *state;
    SinoTileTables tables;
} SinoVariationTask;

/* u of the partition variation.part from z and r, and from p and q of all partitions. before: r of the slice before, of
 * the partition; NULL: none. */
SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z, SinoData *before);

/* p, q and r of the partition from u of all partitions. after: u of the slice after, of the partition; NULL: none. */
SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                      SinoData *after);

/* z −= θ·∇R(u) of the partition prior->tiles.part. u: vectors of the partitions. before, after: u of the slices beside,
 * of the partition; NULL: none. Tables of prior->tiles outlive the task. */
SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoTileTables tables, SinoData *const *u, SinoData *before, SinoData *after,
                             SinoData *state, SinoData *z);
