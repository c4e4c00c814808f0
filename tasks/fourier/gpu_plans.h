/* SPDX-License-Identifier: BSD-3-Clause */
/* GPU plans: what a kernel has made on each GPU before its tasks start, such as plans of transforms. */
#pragma once

#include "runtime.h"

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
