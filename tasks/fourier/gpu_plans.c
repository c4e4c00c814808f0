/* SPDX-License-Identifier: BSD-3-Clause */
/* GPU plans: what a kernel has made on each GPU before its tasks start. */
#include "fourier_tasks.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoGpuPlans {
    SinoRuntime *runtime; /* not owned */
    const SinoGpuPlanKind *kind;
    const void *of;
    void **plan; /* [worker]: NULL for a worker without a GPU */
};

static void make_plan(void *argument)
{
    SinoGpuPlans *plans = argument;
    sino_runtime_fail(plans->runtime, plans->kind->make(plans->of, &plans->plan[sino_runtime_worker()]));
}

static void free_plan(void *argument)
{
    SinoGpuPlans *plans = argument;
    plans->kind->release(plans->plan[sino_runtime_worker()]);
}

static SinoStatus make_plans(SinoGpuPlans *plans)
{
    const int64_t workers = sino_runtime_worker_count(plans->runtime);
    SINO_TRY(sino_allocate(workers, sizeof *plans->plan, "plans of GPUs", &plans->plan));
    sino_runtime_on_each_gpu(plans->runtime, make_plan, plans);
    return sino_runtime_wait(plans->runtime);
}

SinoStatus sino_gpu_plans_new(SinoRuntime *runtime, const SinoGpuPlanKind *kind, const void *of, SinoGpuPlans **result)
{
    SinoGpuPlans *plans = NULL;
    *result = NULL;
    if (!(sino_runtime_devices(runtime) & SINO_DEVICE_CUDA)) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *plans, "plans of GPUs", &plans));
    *plans = (SinoGpuPlans){.runtime = runtime, .kind = kind, .of = of};
    SINO_GIVE(make_plans(plans), plans, sino_gpu_plans_free, result);
}

void sino_gpu_plans_free(SinoGpuPlans *plans)
{
    if (!plans) return;
    if (plans->plan) sino_runtime_on_each_gpu(plans->runtime, free_plan, plans);
    free(plans->plan);
    free(plans);
}

void *sino_gpu_plans_mine(const SinoGpuPlans *plans)
{
    return plans ? plans->plan[sino_runtime_worker()] : NULL;
}
