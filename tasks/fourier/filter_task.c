/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter: the ramp filter on a minibatch's line integrals, and its plans on GPUs. */
#include "fourier_tasks.h"

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

typedef struct Filter {
    SinoOperand sinogram, scratch;
    const SinoFilterPlans *plans;
    SinoSlices slices;
    int64_t first_angle, angle_count; /* of the sinogram */
} Filter;

static SinoStatus filter_cpu(const SinoTask *task)
{
    const Filter *of = task->arguments;
    const SinoFilterPlans *plans = of->plans;
    sino_filter_run(plans->filter, of->angle_count, of->slices, plans->angle_weight + of->first_angle, of->scratch.at,
                    of->sinogram.at);
    return NULL;
}

static SinoStatus filter_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Filter *of = task->arguments;
    return sino_filter_run_cuda(stream, sino_gpu_plans_mine(of->plans->gpu), of->slices, of->sinogram.at);
}

static const SinoTaskKind filter_kind = {
    .name = "filter",
    SINO_ARGUMENTS(Filter, SINO_UPDATES(Filter, sinogram), SINO_USES(Filter, scratch)),
    SINO_CPU_CUDA(filter)};

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
    SINO_GIVE(status, plans, sino_filter_plans_free, result);
}

void sino_filter_plans_free(SinoFilterPlans *plans)
{
    if (!plans) return;
    sino_gpu_plans_free(plans->gpu);
    sino_data_free(plans->scratch);
    free(plans);
}

SinoStatus sino_insert_filter_some(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                                   int64_t first_angle, int64_t angle_count, SinoData *sinogram)
{
    const Filter arguments = {.sinogram.data = sinogram,
                              .scratch.data = plans->scratch,
                              .plans = plans,
                              .slices = slices,
                              .first_angle = first_angle,
                              .angle_count = angle_count};
    return SINO_SUBMIT(plans->runtime, &filter_kind, position, &arguments, .host = angle_count < plans->angle_count);
}

SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram)
{
    return sino_insert_filter_some(position, plans, slices, 0, plans->angle_count, sinogram);
}
