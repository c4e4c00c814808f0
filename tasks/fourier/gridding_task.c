/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks gridding_back, gridding_add and gridding_finish: Aᵀ of a parallel beam by a nonuniform FFT (gridding.h). */
#include "fourier_tasks.h"

#include "gridding_cuda.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoGriddingPlan {
    SinoRuntime *runtime; /* not owned */
    SinoGridding *gridding;
    SinoTileMap map;
    int64_t part_count;
    double work;   /* of a slice */
    double angles; /* of the scan */
    SinoData *scratch;
    SinoGriddingRay *ray;  /* NULL: no GPU computes */
    SinoGriddingScan scan; /* for GPUs */
    SinoGpuPlans *gpu;     /* of SinoGriddingCuda; NULL: no GPU computes */
};

/* The share of the work that adds angles, where there are as many as columns. */
#define ADDING 0.5

typedef struct Gridding {
    SinoOperand scratch, b, sums;
    SinoOperandList x; /* [part] */
    const SinoGriddingPlan *plan;
    SinoSlices slices;
    int64_t first_angle, angle_count; /* of gridding_add */
} Gridding;

static SinoStatus back_cpu(const SinoTask *task)
{
    const Gridding *of = task->arguments;
    sino_gridding_adjoint(of->plan->gridding, &of->plan->map, of->slices, of->b.at, of->scratch.at,
                          (float *const *)of->x.at);
    return NULL;
}

static SinoStatus back_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Gridding *of = task->arguments;
    return sino_gridding_adjoint_cuda(stream, sino_gpu_plans_mine(of->plan->gpu), of->slices, of->b.at, of->scratch.at,
                                      (float *const *)of->x.at);
}

static SinoStatus add_cpu(const SinoTask *task)
{
    const Gridding *of = task->arguments;
    sino_gridding_add(of->plan->gridding, of->slices, of->first_angle, of->angle_count, of->b.at, of->scratch.at,
                      of->sums.at);
    return NULL;
}

static SinoStatus finish_cpu(const SinoTask *task)
{
    const Gridding *of = task->arguments;
    sino_gridding_finish(of->plan->gridding, &of->plan->map, of->slices, of->scratch.at, of->sums.at,
                         (float *const *)of->x.at);
    return NULL;
}

static const SinoTaskKind kind = {
    .name = "gridding_back",
    SINO_ARGUMENTS(Gridding, SINO_USES(Gridding, scratch), SINO_READS(Gridding, b), SINO_WRITES_EACH(Gridding, x)),
    SINO_CPU_CUDA(back)};

static const SinoTaskKind add_kind = {
    .name = "gridding_add",
    SINO_ARGUMENTS(Gridding, SINO_USES(Gridding, scratch), SINO_READS(Gridding, b), SINO_UPDATES(Gridding, sums)),
    .cpu = add_cpu};

static const SinoTaskKind finish_kind = {
    .name = "gridding_finish",
    SINO_ARGUMENTS(Gridding, SINO_USES(Gridding, scratch), SINO_UPDATES(Gridding, sums), SINO_WRITES_EACH(Gridding, x)),
    .cpu = finish_cpu};

int64_t sino_gridding_plan_bytes(const SinoGeometry *geometry, int64_t worker_count)
{
    return sino_times(worker_count, sino_gridding_scratch_bytes(geometry));
}

static SinoStatus make_gpu_plan(const void *of, void **plan)
{
    SinoGriddingCuda *made = NULL;
    SINO_TRY(sino_gridding_cuda_new(of, &made));
    *plan = made;
    return NULL;
}

static void free_gpu_plan(void *plan)
{
    sino_gridding_cuda_free(plan);
}

static const SinoGpuPlanKind gpu_kind = {make_gpu_plan, free_gpu_plan};

SinoFourierGpu sino_gridding_plan_gpu(const SinoGeometry *geometry)
{
    const SinoGriddingBatch batch = sino_gridding_batch(geometry, SINO_GRIDDING_BATCH_BYTES);
    const int64_t of_core = sino_gridding_scratch_bytes(geometry);
    const int64_t scratch = sino_larger(sino_gridding_cuda_scratch_bytes(&batch), of_core);
    return (SinoFourierGpu){.slices = batch.slices,
                            .task_bytes = scratch + sino_gridding_cuda_bytes(&batch),
                            .more_scratch_bytes = scratch - of_core};
}

/* What GPUs have beside the operator of cores. Scratch memory is of one size for both. */
static SinoStatus open_gpus(const SinoGeometry *geometry, SinoGriddingPlan *plan, int64_t *scratch_bytes)
{
    if (!(sino_runtime_devices(plan->runtime) & SINO_DEVICE_CUDA)) return NULL;
    *scratch_bytes += sino_gridding_plan_gpu(geometry).more_scratch_bytes;
    SINO_TRY(sino_allocate(geometry->angle_count, sizeof *plan->ray, "angles", &plan->ray));
    sino_gridding_rays(geometry, plan->ray);
    plan->scan = (SinoGriddingScan){.batch = sino_gridding_batch(geometry, SINO_GRIDDING_BATCH_BYTES),
                                    .ray = plan->ray,
                                    .map = plan->map,
                                    .part_count = plan->part_count};
    return SINO_CUDA_BUILT ? sino_gpu_plans_new(plan->runtime, &gpu_kind, &plan->scan, &plan->gpu) : NULL;
}

static SinoStatus fill(const SinoGeometry *geometry, SinoGriddingPlan *plan)
{
    int64_t scratch_bytes = sino_gridding_scratch_bytes(geometry);
    SINO_TRY(sino_gridding_new(geometry, &plan->gridding));
    SINO_TRY(open_gpus(geometry, plan, &scratch_bytes));
    return sino_data_scratch(plan->runtime, "scratch", scratch_bytes, &plan->scratch);
}

SinoStatus sino_gridding_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoGriddingPlan **plan)
{
    SinoGriddingPlan *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoGriddingPlan){.runtime = runtime,
                               .map = *map,
                               .part_count = part_count,
                               .work = sino_gridding_flops(geometry),
                               .angles = (double)geometry->angle_count};
    SINO_GIVE(fill(geometry, made), made, sino_gridding_plan_free, plan);
}

void sino_gridding_plan_free(SinoGriddingPlan *plan)
{
    if (!plan) return;
    sino_gpu_plans_free(plan->gpu);
    free(plan->ray);
    sino_data_free(plan->scratch);
    sino_gridding_free(plan->gridding);
    free(plan);
}

/* A part of the work of all angles. */
static SinoStatus submit_part(const SinoGriddingPlan *plan, const SinoTaskKind *part, SinoPosition position,
                              const Gridding *arguments, double share)
{
    const double work = share * plan->work * (double)arguments->slices.slice_count;
    return SINO_SUBMIT(plan->runtime, part, position, arguments, SINO_OF_SLICES(arguments->slices), .host = !plan->ray,
                       .work = work, .effort = SINO_GRIDDING_FLOPS * work);
}

SinoStatus sino_insert_gridding_back(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                     SinoData *b, SinoData *const *x)
{
    const Gridding arguments = {.scratch.data = plan->scratch,
                                .b.data = b,
                                .x = {.data = x, .count = plan->part_count},
                                .plan = plan,
                                .slices = slices};
    return submit_part(plan, &kind, position, &arguments, 1);
}

SinoStatus sino_insert_gridding_add(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                    int64_t first_angle, int64_t angle_count, SinoData *b, SinoData *sums)
{
    const Gridding arguments = {.scratch.data = plan->scratch,
                                .b.data = b,
                                .sums = {.data = sums, .mode = first_angle == 0 ? SINO_WRITE : SINO_READ_WRITE},
                                .plan = plan,
                                .slices = slices,
                                .first_angle = first_angle,
                                .angle_count = angle_count};
    return submit_part(plan, &add_kind, position, &arguments, ADDING * (double)angle_count / plan->angles);
}

SinoStatus sino_insert_gridding_finish(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                       SinoData *sums, SinoData *const *x)
{
    const Gridding arguments = {.scratch.data = plan->scratch,
                                .sums.data = sums,
                                .x = {.data = x, .count = plan->part_count},
                                .plan = plan,
                                .slices = slices};
    return submit_part(plan, &finish_kind, position, &arguments, 1 - ADDING);
}
