/* SPDX-License-Identifier: BSD-3-Clause */
/* Task detail: finds the contrast that a prior has flattened in the slices of a minibatch (codelets/solvers/detail.h).
 * Cores run it, and CUDA GPUs as the tasks of priors (prior_task.h). */
#pragma once

#include "detail.h"
#include "prior_task.h"
#include "runtime.h"

/* A voxel takes as long as so many operations of a product. */
enum { SINO_DETAIL_FLOPS = 1200 };

/* Vectors of all partitions, [tiles->part_count]; NULL where one has no voxels. Data are not owned. scratch: of
 * sino_detail_bytes. The tables of tiles outlive the task. */
typedef struct SinoDetailTask {
    SinoVariation tiles;
    SinoDetailSlices slices;
    double share;
    SinoData *const *g, *const *m, *const *x, *const *u;
    SinoData *scratch;
    SinoTileTables tables;
} SinoDetailTask;
SinoStatus sino_insert_detail(SinoRuntime *runtime, SinoPosition position, const SinoDetailTask *task);
