/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter: the ramp filter on a minibatch's line integrals, and its plans on GPUs. */
#include "filter_task.h"

#include "filter_cuda.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoFilterPlans {
    SinoRuntime *runtime;
    const SinoFilter *filter;
    int64_t angle_count, stride;
    const double *angle_weight;
    SinoData *scratch;    /* scratch memory of cores */
    SinoFilterCuda **gpu; /* [worker]: NULL for a worker without a GPU; NULL: no GPU computes */
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
    return sino_filter_run_cuda(stream, arguments->plans->gpu[sino_runtime_worker()], arguments->slices,
                                sino_task_buffer(task, 0));
}

static const SinoTaskKind filter_kind = {.name = "filter",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = 2,
                                         .access_max = 2,
                                         .cpu = filter_cpu,
                                         .cuda = SINO_ON_CUDA(filter_cuda)};

/* Called on a GPU worker's thread, with the worker's device as the current one. */
static void make_plan(void *argument)
{
    SinoFilterPlans *plans = argument;
    sino_runtime_fail(plans->runtime, sino_filter_cuda_new(plans->filter, plans->angle_count, plans->stride,
                                                           plans->angle_weight, &plans->gpu[sino_runtime_worker()]));
}

static void free_plan(void *argument)
{
    SinoFilterPlans *plans = argument;
    sino_filter_cuda_free(plans->gpu[sino_runtime_worker()]);
}

static SinoStatus make_plans(SinoFilterPlans *plans)
{
    if (!SINO_CUDA_BUILT || !(sino_runtime_devices(plans->runtime) & SINO_DEVICE_CUDA)) return NULL;
    SINO_TRY(
        sino_allocate(sino_runtime_worker_count(plans->runtime), sizeof *plans->gpu, "plans of GPUs", &plans->gpu));
    sino_runtime_on_each_gpu(plans->runtime, make_plan, plans);
    return sino_runtime_wait(plans->runtime);
}

SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *of, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **result)
{
    SinoFilterPlans *plans = NULL;
    SINO_TRY(sino_allocate(1, sizeof *plans, "the filter", &plans));
    *plans = (SinoFilterPlans){
        .runtime = runtime, .filter = of, .angle_count = angle_count, .stride = stride, .angle_weight = angle_weight};
    SinoStatus status = sino_data_scratch(runtime, "filter scratch", sino_filter_scratch_bytes(of), &plans->scratch);
    if (!status) status = make_plans(plans);
    if (status)
        sino_filter_plans_free(plans);
    else
        *result = plans;
    return status;
}

void sino_filter_plans_free(SinoFilterPlans *plans)
{
    if (!plans) return;
    if (SINO_CUDA_BUILT && plans->gpu) sino_runtime_on_each_gpu(plans->runtime, free_plan, plans);
    free(plans->gpu);
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
