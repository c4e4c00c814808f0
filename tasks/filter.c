/* SPDX-License-Identifier: BSD-3-Clause */
/* filter: the ramp filter on a minibatch's line integrals, and its plans on GPUs. */
#include "tasks.h"

#include "filter_cuda.h"
#include "memory.h"

#include <stdlib.h>

struct SinoFilterPlans {
    SinoRuntime *runtime;
    const SinoFilter *filter;
    int64_t angle_count, stride;
    const double *angle_weight;
    SinoData *scratch;                       /* of cores */
    SinoFilterCuda *gpu[STARPU_NMAXWORKERS]; /* by worker; NULL: it has no GPU */
};

typedef struct Arguments {
    SinoTaskHead head;
    const SinoFilterPlans *plans;
    SinoSlices slices;
} Arguments;

static SinoStatus filter(void *buffers[], const Arguments *arguments)
{
    const SinoFilterPlans *plans = arguments->plans;
    sino_filter_run(plans->filter, plans->angle_count, arguments->slices, plans->angle_weight, sino_buffer(buffers, 1),
                    sino_buffer(buffers, 0));
    return NULL;
}

SINO_CPU_FUNCTION(filter_cpu, Arguments, filter)
SINO_CUDA_FUNCTION(filter_cuda, Arguments,
                   sino_filter_run_cuda(stream, arguments->plans->gpu[starpu_worker_get_id()], arguments->slices,
                                        sino_buffer(buffers, 0)))
SINO_CODELET(codelet, "filter", filter_cpu, SINO_ON_CUDA(filter_cuda))

#if defined SINO_CUDA && defined STARPU_USE_CUDA

/* On the worker's thread, whose device is the current one. */
static void make_plan(void *argument)
{
    SinoFilterPlans *plans = argument;
    sino_runtime_fail(plans->runtime, sino_filter_cuda_new(plans->filter, plans->angle_count, plans->stride,
                                                           plans->angle_weight, &plans->gpu[starpu_worker_get_id()]));
}

static void free_plan(void *argument)
{
    SinoFilterPlans *plans = argument;
    sino_filter_cuda_free(plans->gpu[starpu_worker_get_id()]);
}

static SinoStatus make_plans(SinoFilterPlans *plans)
{
    starpu_execute_on_each_worker(make_plan, plans, STARPU_CUDA);
    return sino_runtime_wait(plans->runtime);
}

static void free_plans(SinoFilterPlans *plans)
{
    starpu_execute_on_each_worker(free_plan, plans, STARPU_CUDA);
}

#else

static SinoStatus make_plans(SinoFilterPlans *plans)
{
    (void)plans;
    return NULL;
}

static void free_plans(SinoFilterPlans *plans)
{
    (void)plans;
}

#endif

SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *of, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **result)
{
    SinoFilterPlans *plans = NULL;
    SINO_TRY(sino_allocate(1, sizeof *plans, "the filter", &plans));
    *plans = (SinoFilterPlans){
        .runtime = runtime, .filter = of, .angle_count = angle_count, .stride = stride, .angle_weight = angle_weight};
    SinoStatus status = sino_data_scratch(runtime, "filter scratch", sino_filter_scratch_bytes(of), &plans->scratch);
    if (!status && sino_runtime_devices(runtime) & SINO_DEVICE_CUDA) status = make_plans(plans);
    if (status)
        sino_filter_plans_free(plans);
    else
        *result = plans;
    return status;
}

void sino_filter_plans_free(SinoFilterPlans *plans)
{
    if (!plans) return;
    if (sino_runtime_devices(plans->runtime) & SINO_DEVICE_CUDA) free_plans(plans);
    sino_data_free(plans->scratch);
    free(plans);
}

SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram)
{
    const Arguments arguments = {.plans = plans, .slices = slices};
    const SinoAccess access[] = {{sinogram, STARPU_RW}, {plans->scratch, STARPU_SCRATCH}};
    return sino_task_submit(plans->runtime, &codelet, position, false, &arguments, sizeof arguments, 2, access);
}
