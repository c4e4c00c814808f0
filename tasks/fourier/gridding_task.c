/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gridding_back: Aᵀ of a parallel beam by a nonuniform FFT (gridding.h). */
#include "gridding_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "slice_parts.h"

#include <stdlib.h>

struct SinoGriddingPlan {
    SinoRuntime *runtime; /* not owned */
    SinoGridding *gridding;
    SinoSliceParts parts;
    int64_t scratch_bytes; /* of the codelet, before the addresses of parts */
    double work;           /* of a slice */
    SinoData *scratch;
};

/* A task's data: scratch memory; b; then the parts of x that are not empty. */
enum { SCRATCH, B, FIRST };

typedef struct Arguments {
    const SinoGriddingPlan *plan;
    SinoSlices slices;
} Arguments;

static SinoStatus back_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoGriddingPlan *plan = arguments->plan;
    char *scratch = sino_task_buffer(task, SCRATCH);
    void **x = (void **)(void *)(scratch + plan->scratch_bytes);
    sino_slice_parts_list(&plan->parts, task, FIRST, x);
    sino_gridding_adjoint(plan->gridding, &plan->parts.map, arguments->slices, sino_task_buffer(task, B), scratch,
                          (float *const *)x);
    return NULL;
}

static const SinoTaskKind kind = {.name = "gridding_back",
                                  .argument_bytes = sizeof(Arguments),
                                  .access_min = 3,
                                  .access_max = SINO_TASK_DATA_MANY,
                                  .cpu = back_cpu};

static int64_t address_bytes(int64_t part_count)
{
    return sino_times(part_count, (int64_t)sizeof(void *));
}

int64_t sino_gridding_plan_bytes(const SinoGeometry *geometry, int64_t part_count, int64_t worker_count)
{
    return sino_times(worker_count, sino_gridding_scratch_bytes(geometry) + address_bytes(part_count));
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
    *made = (SinoGriddingPlan){.runtime = runtime,
                               .parts = sino_slice_parts(map, part_count),
                               .scratch_bytes = sino_gridding_scratch_bytes(geometry),
                               .work = sino_gridding_flops(geometry)};
    SinoStatus status = sino_gridding_new(geometry, &made->gridding);
    if (!status)
        status = sino_data_scratch(runtime, "scratch", made->scratch_bytes + address_bytes(part_count), &made->scratch);
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
    const Arguments arguments = {.plan = plan, .slices = slices};
    const double work = plan->work * (double)slices.slice_count;
    SinoAccess *access = NULL;
    SINO_TRY(sino_allocate(FIRST + plan->parts.filled, sizeof *access, "the data of a task", &access));
    access[SCRATCH] = (SinoAccess){plan->scratch, SINO_SCRATCH};
    access[B] = (SinoAccess){b, SINO_READ};
    SinoStatus status = sino_task_submit(
        plan->runtime, &kind,
        &(SinoTaskRequest){.position = position,
                           .arguments = &arguments,
                           .argument_bytes = sizeof arguments,
                           .access = access,
                           .access_count = sino_slice_parts_access(&plan->parts, x, SINO_WRITE, FIRST, access),
                           SINO_OF_SLICES(slices),
                           .work = work,
                           .effort = SINO_GRIDDING_FLOPS * work});
    free(access);
    return status;
}
