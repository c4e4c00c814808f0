/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gridding_back: Aᵀ of a parallel beam by a nonuniform FFT (gridding.h). */
#include "gridding_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoGriddingPlan {
    SinoRuntime *runtime; /* not owned */
    SinoGridding *gridding;
    SinoTileMap map;
    int64_t part_count;
    double work; /* of a slice */
    SinoData *scratch;
};

typedef struct Gridding {
    SinoOperand scratch, b;
    SinoOperandList x; /* [part] */
    const SinoGriddingPlan *plan;
    SinoSlices slices;
} Gridding;

static SinoStatus back_cpu(const SinoTask *task)
{
    const Gridding *of = task->arguments;
    sino_gridding_adjoint(of->plan->gridding, &of->plan->map, of->slices, of->b.at, of->scratch.at,
                          (float *const *)of->x.at);
    return NULL;
}

static const SinoTaskKind kind = {
    .name = "gridding_back",
    SINO_ARGUMENTS(Gridding, SINO_USES(Gridding, scratch), SINO_READS(Gridding, b), SINO_WRITES_EACH(Gridding, x)),
    .cpu = back_cpu};

int64_t sino_gridding_plan_bytes(const SinoGeometry *geometry, int64_t worker_count)
{
    return sino_times(worker_count, sino_gridding_scratch_bytes(geometry));
}

double sino_gridding_plan_flops(const SinoGeometry *geometry)
{
    return sino_gridding_flops(geometry);
}

SinoStatus sino_gridding_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoGriddingPlan **plan)
{
    SinoGriddingPlan *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoGriddingPlan){
        .runtime = runtime, .map = *map, .part_count = part_count, .work = sino_gridding_flops(geometry)};
    SinoStatus status = sino_gridding_new(geometry, &made->gridding);
    if (!status) status = sino_data_scratch(runtime, "scratch", sino_gridding_scratch_bytes(geometry), &made->scratch);
    if (status)
        sino_gridding_plan_free(made);
    else
        *plan = made;
    return status;
}

void sino_gridding_plan_free(SinoGriddingPlan *plan)
{
    if (!plan) return;
    sino_data_free(plan->scratch);
    sino_gridding_free(plan->gridding);
    free(plan);
}

SinoStatus sino_insert_gridding_back(const SinoGriddingPlan *plan, SinoPosition position, SinoSlices slices,
                                     SinoData *b, SinoData *const *x)
{
    const Gridding arguments = {.scratch.data = plan->scratch,
                                .b.data = b,
                                .x = {.data = x, .count = plan->part_count},
                                .plan = plan,
                                .slices = slices};
    const double work = plan->work * (double)slices.slice_count;
    return SINO_SUBMIT(plan->runtime, &kind, position, &arguments, SINO_OF_SLICES(slices), .work = work,
                       .effort = SINO_GRIDDING_FLOPS * work);
}
