/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of FFTs, and their plans on GPUs. */
#pragma once

#include "filter.h"
#include "gridding.h"
#include "runtime.h"
#include "toeplitz.h"
#include "view_filter.h"

/* Task filter: the ramp filter on line integrals of one minibatch. */

/* Plans of a filter (for cores, and for GPUs if they compute), for minibatches of angle_count angles and `stride`
 * slices, padding included. `filter` and angle_weight[angle_count] are not owned. SINO_FAILED: no memory, or a GPU has
 * no memory for its plan. */
typedef struct SinoFilterPlans SinoFilterPlans;
SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **plans);
void sino_filter_plans_free(SinoFilterPlans *plans); /* takes NULL; no task may use them any more */

/* Inserts filter, which filters a minibatch's line integrals in place. */
SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram);

/* The same for a sinogram of some consecutive angles, on cores. */
SinoStatus sino_insert_filter_some(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                                   int64_t first_angle, int64_t angle_count, SinoData *sinogram);

/* Task filter_views: weights and ramp filter of FDK for projections that have vectors. */

/* Projections first … first + count − 1 of column_count × row_count pixels. Nothing is owned, and all outlives the
 * task. */
typedef struct SinoFilterViews {
    const SinoFilter *filter; /* of column_count values, as the rows have, or of row_count */
    bool along_rows;
    const SinoView *view; /* [projection] */
    const double *weight; /* [projection] */
    const float *share;   /* [projection][pixel of a line]; NULL: 1 */
    int64_t first, count, column_count, row_count;
} SinoFilterViews;

/* rays[projection][column][row], between rays_begin and rays_end (rays_tasks.h). scratch:
 * sino_view_filter_scratch_bytes. */
SinoStatus sino_insert_filter_views(SinoRuntime *runtime, SinoPosition position, const SinoFilterViews *wanted,
                                    SinoData *scratch, SinoData *rays);

/* GPU plans: what a kernel has made on each GPU before its tasks start, such as plans of transforms. */

/* How a plan is made and freed, on the thread of the GPU's worker, which has the GPU as the current one. */
typedef struct SinoGpuPlanKind {
    SinoStatus (*make)(const void *of, void **plan);
    void (*release)(void *plan); /* takes NULL */
} SinoGpuPlanKind;

/* A plan for each CUDA worker; without one, *plans is NULL. `of` is given to `make` and not owned. Waits for the tasks
 * submitted so far. SINO_FAILED: no memory, or the error of `make`. */
typedef struct SinoGpuPlans SinoGpuPlans;
SinoStatus sino_gpu_plans_new(SinoRuntime *runtime, const SinoGpuPlanKind *kind, const void *of, SinoGpuPlans **plans);
void sino_gpu_plans_free(SinoGpuPlans *plans); /* takes NULL */

/* The plan of the worker that runs the calling function; of NULL: NULL. */
void *sino_gpu_plans_mine(const SinoGpuPlans *plans);

/* What GPUs add to a plan of products by FFT. */
typedef struct SinoFourierGpu {
    int64_t slices;             /* that are transformed together: they suit a minibatch */
    int64_t task_bytes;         /* device memory of a task beside its vectors */
    int64_t map_bytes;          /* main memory of a plan; 0: none */
    int64_t more_scratch_bytes; /* main memory of each worker, whose scratch memory has the size of a GPU's */
} SinoFourierGpu;

/* Tasks gridding_back, gridding_add and gridding_finish: Aᵀ of a parallel beam by a nonuniform FFT (gridding.h). */

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
SinoFourierGpu sino_gridding_plan_gpu(const SinoGeometry *geometry);

/* Inserts gridding_back: x = Aᵀ b; x[part], NULL if the part is empty. */
SinoStatus sino_insert_gridding_back(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                     SinoData *b, SinoData *const *x);

/* Insert the same in parts, which cores compute: gridding_add adds the angles whose rays are b to `sums` of every
 * slice, gridding_finish makes x of them. */
SinoStatus sino_insert_gridding_add(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                    int64_t first_angle, int64_t angle_count, SinoData *b, SinoData *sums);
SinoStatus sino_insert_gridding_finish(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                       SinoData *sums, SinoData *const *x);

/* Task toeplitz_product: products of a parallel beam's AᵀA by FFT (toeplitz.h). */

/* A flop of FFTs as flops of products with lengths of rays, measured on cores (docs/lab/projectors.md), predicted for
 * GPUs (docs/lab/gpu_models.md). */
#define SINO_TOEPLITZ_FLOPS 2.5

/* An operator, the tiles of its vectors, scratch memory for each worker, and plans of each CUDA GPU. */
typedef struct SinoToeplitzPlan SinoToeplitzPlan;

/* Computes the convolution of AᵀA. The arrays of geometry and map are not owned and outlive the plan; part p is empty
 * if map->part_rows[p] is 0. SINO_FAILED: no memory. */
SinoStatus sino_toeplitz_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoToeplitzPlan **plan);
void sino_toeplitz_plan_free(SinoToeplitzPlan *plan); /* takes NULL; no task may use it any more */

/* Bytes that a plan keeps, scratch memory of workers included. */
int64_t sino_toeplitz_plan_bytes(const SinoGeometry *geometry, int64_t worker_count);

/* What GPUs add. */
SinoFourierGpu sino_toeplitz_plan_gpu(const SinoGeometry *geometry);

/* An upper bound of the largest eigenvalue of AᵀA (toeplitz.h). */
double sino_toeplitz_plan_norm(const SinoToeplitzPlan *plan);

/* Inserts toeplitz_product: y = AᵀA x; x[part], y[part], NULL if the part is empty. */
SinoStatus sino_insert_toeplitz_product(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                        SinoData *const *x, SinoData *const *y);
