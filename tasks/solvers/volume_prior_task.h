/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of priors in 3-D, for one partition of a minibatch: variation_primal, variation_dual and prior with the slices
 * beside the minibatch (codelets/solvers/variation.h, codelets/solvers/prior.h). Cores run them, and CUDA GPUs where
 * they run variation_task.h's. */
#ifndef SINO_VOLUME_PRIOR_TASK_H
#define SINO_VOLUME_PRIOR_TASK_H

#include "prior.h"
#include "runtime.h"
#include "variation_task.h"

/* Vectors of the partitions, [part_count]; NULL where a partition has no voxels. Data are not owned. state:
 * SinoSliceState[slice]. */
typedef struct SinoVolumeVariationTask {
    SinoVariation variation; /* its tables outlive the task */
    SinoData *const *p, *const *q, *const *r, *const *u;
    SinoData *state;
    SinoTileTables tables;
} SinoVolumeVariationTask;

/* Whether devices may run these tasks, of all partitions of a minibatch. */
bool sino_volume_prior_suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables);

/* u of the partition variation.part from z, p, q and r. before: r of the slice before, of the partition; NULL: none. */
SinoStatus sino_insert_volume_primal(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                     SinoData *z, SinoData *before);

/* p, q and r of the partition from u. after: u of the slice after, of the partition; NULL: none. */
SinoStatus sino_insert_volume_dual(SinoRuntime *runtime, SinoPosition position, const SinoVolumeVariationTask *task,
                                   SinoData *after);

/* z −= θ·∇R(u) of the partition prior->tiles.part. before, after: u of the slices beside, of the partition; NULL: none.
 * u: vectors of the partitions. Tables of prior->tiles outlive the task. */
SinoStatus sino_insert_volume_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                                    SinoTileTables tables, SinoData *const *u, SinoData *before, SinoData *after,
                                    SinoData *state, SinoData *z);

#endif
