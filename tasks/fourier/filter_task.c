/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter: the ramp filter on a minibatch's line integrals, and its plans on GPUs. */
#include "filter_task.h"

#include "filter_cuda.h"
#include "gpu_plans.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoFilterPlans {
    SinoRuntime *runtime;
    const SinoFilter *filter;
    int64_t angle_count, stride;
    const double *angle_weight;
    SinoData *scratch; /* scratch memory of cores */
    SinoGpuPlans *gpu; /* of SinoFilterCuda; NULL: no GPU computes */
};

typedef struct Arguments {
    const SinoFilterPlans *plans;
    SinoSlices slices;
} Arguments;

static SinoStatus filter_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoFilterPlans *plans = arguments->plans;
    sino_filter_run(plans->filter, plans->angle_count, arguments->slices, plans->angle_weight,
                    sino_task_buffer(task, 1), sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus filter_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_filter_run_cuda(stream, sino_gpu_plans_mine(arguments->plans->gpu), arguments->slices,
                                sino_task_buffer(task, 0));
}

static const SinoTaskKind filter_kind = {.name = "filter",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = 2,
                                         .access_max = 2,
                                         .cpu = filter_cpu,
                                         .cuda = SINO_ON_CUDA(filter_cuda)};

static SinoStatus make_plan(const void *of, void **plan)
{
    const SinoFilterPlans *plans = of;
    SinoFilterCuda *made = NULL;
    SINO_TRY(sino_filter_cuda_new(plans->filter, plans->angle_count, plans->stride, plans->angle_weight, &made));
    *plan = made;
    return NULL;
}

static void free_plan(void *plan)
{
    sino_filter_cuda_free(plan);
}

static const SinoGpuPlanKind gpu_kind = {make_plan, free_plan};

SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *of, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **result)
{
    SinoFilterPlans *plans = NULL;
    SINO_TRY(sino_allocate(1, sizeof *plans, "the filter", &plans));
    *plans = (SinoFilterPlans){
        .runtime = runtime, .filter = of, .angle_count = angle_count, .stride = stride, .angle_weight = angle_weight};
    SinoStatus status = sino_data_scratch(runtime, "filter scratch", sino_filter_scratch_bytes(of), &plans->scratch);
    if (!status && SINO_CUDA_BUILT) status = sino_gpu_plans_new(runtime, &gpu_kind, plans, &plans->gpu);
    if (status)
        sino_filter_plans_free(plans);
    else
        *result = plans;
    return status;
}

void sino_filter_plans_free(SinoFilterPlans *plans)
{
    if (!plans) return;
    sino_gpu_plans_free(plans->gpu);
    sino_data_free(plans->scratch);
    free(plans);
}

SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram)
{
    const Arguments arguments = {.plans = plans, .slices = slices};
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}, {plans->scratch, SINO_SCRATCH}};
    return sino_task_submit(plans->runtime, &filter_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}
