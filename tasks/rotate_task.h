/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rotate_project and rotate_back: products of a parallel beam's A and Aᵀ with a partition, without a matrix. */
#ifndef SINO_ROTATE_TASK_H
#define SINO_ROTATE_TASK_H

#include "rotate.h"
#include "runtime.h"

#include <stdbool.h>

/* Bytes of scratch memory of the tasks, and the instruction set that they use (rotate.h). */
int64_t sino_rotate_task_scratch_bytes(void);
const char *sino_rotate_task_isa_name(void);

/* Inserts rotate_project between rays_begin and rays_end (rays_gate_task.h): adds what->tile's part of A x to the rays
 * of what's angles in `rays`, which has all rays of what->geometry. `first` of the partitions: these rays become 0
 * before. `order`: void data that all tasks of these angles write. The arrays of `what` outlive the task. */
SinoStatus sino_insert_rotate_project(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, bool first,
                                      SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays);

/* Inserts rotate_back, which writes Aᵀ y of what's angles to the partition. */
SinoStatus sino_insert_rotate_back(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, SinoData *rays,
                                   SinoData *scratch, SinoData *voxels);

#endif
