/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks gridding_back, gridding_add and gridding_finish: Aᵀ of a parallel beam by a nonuniform FFT (gridding.h). */
#pragma once

#include "gridding.h"
#include "runtime.h"

/* A flop of backprojection by nonuniform FFT as flops of products with lengths of rays (docs/lab/projectors.md):
 * spreading and copies of slices are bound by memory. */
#define SINO_GRIDDING_FLOPS 2.2

/* Aᵀ, the tiles of its vectors, scratch memory for each worker, and plans of each CUDA GPU. */
typedef struct SinoGriddingPlan SinoGriddingPlan;

/* The arrays of geometry and map are not owned and outlive the plan; part p is empty if map->part_rows[p] is 0.
 * SINO_FAILED: no memory. */
SinoStatus sino_gridding_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoGriddingPlan **plan);
void sino_gridding_plan_free(SinoGriddingPlan *plan); /* takes NULL; no task may use it any more */

/* Bytes that a plan keeps: scratch memory of workers. */
int64_t sino_gridding_plan_bytes(const SinoGeometry *geometry, int64_t worker_count);

/* What GPUs add. */
typedef struct SinoGriddingGpu {
    int64_t slices;             /* that are transformed together: they suit a minibatch */
    int64_t task_bytes;         /* device memory of a task beside its vectors */
    int64_t more_scratch_bytes; /* main memory of each worker, whose scratch memory has the size of a GPU's */
} SinoGriddingGpu;
SinoGriddingGpu sino_gridding_plan_gpu(const SinoGeometry *geometry);

/* Inserts gridding_back: x = Aᵀ b; x[part], NULL if the part is empty. */
SinoStatus sino_insert_gridding_back(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                     SinoData *b, SinoData *const *x);

/* Insert the same in parts, which cores compute: gridding_add adds the angles whose rays are b to `sums` of every
 * slice, gridding_finish makes x of them. */
SinoStatus sino_insert_gridding_add(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                    int64_t first_angle, int64_t angle_count, SinoData *b, SinoData *sums);
SinoStatus sino_insert_gridding_finish(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                       SinoData *sums, SinoData *const *x);
