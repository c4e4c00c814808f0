/* SPDX-License-Identifier: BSD-3-Clause */
/* Task toeplitz_product: products of a parallel beam's AᵀA by FFT (toeplitz.h). */
#pragma once

#include "runtime.h"
#include "toeplitz.h"

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
typedef struct SinoToeplitzGpu {
    int64_t slices;             /* that are transformed together: they suit a minibatch */
    int64_t task_bytes;         /* device memory of a task beside its vectors */
    int64_t map_bytes;          /* main memory of a plan */
    int64_t more_scratch_bytes; /* main memory of each worker, whose scratch memory has the size of a GPU's */
} SinoToeplitzGpu;
SinoToeplitzGpu sino_toeplitz_plan_gpu(const SinoGeometry *geometry);

/* An upper bound of the largest eigenvalue of AᵀA (toeplitz.h). */
double sino_toeplitz_plan_norm(const SinoToeplitzPlan *plan);

/* Inserts toeplitz_product: y = AᵀA x; x[part], y[part], NULL if the part is empty. */
SinoStatus sino_insert_toeplitz_product(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                        SinoData *const *x, SinoData *const *y);
