/* SPDX-License-Identifier: BSD-3-Clause */
/* Task detail: finds what a prior has flattened in the slices of a minibatch (codelets/solvers/detail.h), on a core. */
#ifndef SINO_DETAIL_TASK_H
#define SINO_DETAIL_TASK_H

#include "runtime.h"
#include "variation.h"

/* x, g, s: the vectors of all partitions, [tiles.part_count]; NULL where a partition has no voxels. s has m/scale, and
 * becomes s. The tables of the tiles outlive the task. */
SinoStatus sino_insert_detail(SinoRuntime *runtime, SinoPosition position, const SinoVariation *tiles, double scale,
                              SinoData *const *x, SinoData *const *g, SinoData *const *s);

#endif
