/* SPDX-License-Identifier: BSD-3-Clause */
/* Task toeplitz_product: products of a parallel beam's AᵀA by FFT (toeplitz.h). */
#include "toeplitz_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "slice_parts.h"

#include <stdlib.h>

struct SinoToeplitzPlan {
    SinoRuntime *runtime; /* not owned */
    SinoToeplitz *toeplitz;
    SinoSliceParts parts;
    int64_t scratch_bytes; /* of the codelet, before the addresses of parts */
    double work;           /* of a slice */
    SinoData *scratch;
};

/* A task's data: scratch memory; then the parts of x, and of y, that are not empty. */
enum { SCRATCH, FIRST };

typedef struct Arguments {
    const SinoToeplitzPlan *plan;
    SinoSlices slices;
} Arguments;

static SinoStatus product_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoToeplitzPlan *plan = arguments->plan;
    char *scratch = sino_task_buffer(task, SCRATCH);
    void **x = (void **)(scratch + plan->scratch_bytes), **y = x + plan->parts.count;
    sino_slice_parts_list(&plan->parts, task, FIRST, x);
    sino_slice_parts_list(&plan->parts, task, FIRST + (int)plan->parts.filled, y);
    sino_toeplitz_product(plan->toeplitz, &plan->parts.map, arguments->slices, (const float *const *)x, scratch,
                          (float *const *)y);
    return NULL;
}

static const SinoTaskKind product_kind = {.name = "toeplitz_product",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 3,
                                          .access_max = SINO_TASK_DATA_MANY,
                                          .cpu = product_cpu};

static int64_t address_bytes(int64_t part_count)
{
    return sino_times(2 * part_count, (int64_t)sizeof(void *));
}

int64_t sino_toeplitz_plan_bytes(const SinoGeometry *geometry, int64_t part_count, int64_t worker_count)
{
    const int64_t scratch = sino_toeplitz_scratch_bytes(geometry) + address_bytes(part_count);
    return sino_toeplitz_bytes(geometry) + sino_times(worker_count, scratch);
}

int64_t sino_toeplitz_plan_building_bytes(const SinoGeometry *geometry)
{
    return sino_toeplitz_building_bytes(geometry);
}

int64_t sino_toeplitz_plan_side(int64_t grid_size)
{
    return sino_toeplitz_side(grid_size);
}

double sino_toeplitz_plan_norm(const SinoToeplitzPlan *plan)
{
    return sino_toeplitz_norm(plan->toeplitz);
}

double sino_toeplitz_plan_flops(int64_t grid_size)
{
    return sino_toeplitz_flops(grid_size);
}

SinoStatus sino_toeplitz_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoToeplitzPlan **plan)
{
    SinoToeplitzPlan *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoToeplitzPlan){.runtime = runtime,
                               .parts = sino_slice_parts(map, part_count),
                               .scratch_bytes = sino_toeplitz_scratch_bytes(geometry),
                               .work = sino_toeplitz_flops(geometry->grid_size)};
    SinoStatus status = sino_toeplitz_new(geometry, &made->toeplitz);
    if (!status)
        status = sino_data_scratch(runtime, "scratch", made->scratch_bytes + address_bytes(part_count), &made->scratch);
    if (status)
        sino_toeplitz_plan_free(made);
    else
        *plan = made;
    return status;
}

void sino_toeplitz_plan_free(SinoToeplitzPlan *plan)
{
    if (!plan) return;
    sino_data_free(plan->scratch);
    sino_toeplitz_free(plan->toeplitz);
    free(plan);
}

SinoStatus sino_insert_toeplitz_product(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                        SinoData *const *x, SinoData *const *y)
{
    const Arguments arguments = {.plan = plan, .slices = slices};
    const double work = plan->work * (double)slices.slice_count;
    SinoAccess *access = NULL;
    SINO_TRY(sino_allocate(FIRST + 2 * plan->parts.filled, sizeof *access, "the data of a task", &access));
    access[SCRATCH] = (SinoAccess){plan->scratch, SINO_SCRATCH};
    int count = sino_slice_parts_access(&plan->parts, x, SINO_READ, FIRST, access);
    count = sino_slice_parts_access(&plan->parts, y, SINO_WRITE, count, access);
    SinoStatus status = sino_task_submit(plan->runtime, &product_kind,
                                         &(SinoTaskRequest){.position = position,
                                                            .arguments = &arguments,
                                                            .argument_bytes = sizeof arguments,
                                                            .access = access,
                                                            .access_count = count,
                                                            SINO_OF_SLICES(slices),
                                                            .work = work,
                                                            .effort = SINO_TOEPLITZ_FLOPS * work});
    free(access);
    return status;
}
