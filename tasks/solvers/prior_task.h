/* SPDX-License-Identifier: BSD-3-Clause */
/* Task prior: a step down the gradient of a smooth prior of the slices of a minibatch (codelets/solvers/prior.h), for
 * one partition. Cores run it, and CUDA GPUs where they run variation_task.h's. */
#ifndef SINO_PRIOR_TASK_H
#define SINO_PRIOR_TASK_H

#include "prior.h"
#include "runtime.h"
#include "variation_task.h"

/* z −= θ·∇R(u) of the partition prior->tiles.part. u: vectors of the partitions, [part_count], NULL where a partition
 * has no voxels; state: SinoSliceState[slice]. Tables of prior->tiles outlive the task. */
SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoTileTables tables, SinoData *const *u, SinoData *state, SinoData *z);

#endif
