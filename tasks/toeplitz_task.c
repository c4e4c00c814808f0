/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks toeplitz_product and toeplitz_back: products of a parallel beam's AᵀA and Aᵀ by FFT (toeplitz.h). */
#include "toeplitz_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoToeplitzPlan {
    SinoRuntime *runtime; /* not owned */
    SinoToeplitz *toeplitz;
    SinoToeplitzMap map;
    int64_t part_count, filled; /* parts, and those that are not empty */
    int64_t scratch_bytes;      /* of the codelet, before the addresses of parts */
    double product_work, back_work;
    SinoData *scratch;
};

/* A task's data: scratch memory; then b of toeplitz_back; then the parts of x, and of y, that are not empty. */
enum { SCRATCH, FIRST };

typedef struct Arguments {
    const SinoToeplitzPlan *plan;
    SinoSlices slices;
} Arguments;

/* The addresses of a vector's parts, whose buffers begin at `first`. */
static void list_parts(const SinoTask *task, const SinoToeplitzPlan *plan, int first, void **part)
{
    for (int64_t p = 0; p < plan->part_count; p++)
        part[p] = plan->map.part_rows[p] > 0 ? sino_task_buffer(task, first++) : NULL;
}

static SinoStatus product_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoToeplitzPlan *plan = arguments->plan;
    char *scratch = sino_task_buffer(task, SCRATCH);
    void **x = (void **)(scratch + plan->scratch_bytes), **y = x + plan->part_count;
    list_parts(task, plan, FIRST, x);
    list_parts(task, plan, FIRST + (int)plan->filled, y);
    sino_toeplitz_product(plan->toeplitz, &plan->map, arguments->slices, (const float *const *)x, scratch,
                          (float *const *)y);
    return NULL;
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoToeplitzPlan *plan = arguments->plan;
    char *scratch = sino_task_buffer(task, SCRATCH);
    void **x = (void **)(scratch + plan->scratch_bytes);
    list_parts(task, plan, FIRST + 1, x);
    sino_toeplitz_adjoint(plan->toeplitz, &plan->map, arguments->slices, sino_task_buffer(task, FIRST), scratch,
                          (float *const *)x);
    return NULL;
}

static const SinoTaskKind product_kind = {.name = "toeplitz_product",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 3,
                                          .access_max = SINO_TASK_DATA_MANY,
                                          .cpu = product_cpu};

static const SinoTaskKind back_kind = {.name = "toeplitz_back",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = 3,
                                       .access_max = SINO_TASK_DATA_MANY,
                                       .cpu = back_cpu};

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

double sino_toeplitz_plan_flops(int64_t grid_size)
{
    return sino_toeplitz_flops(grid_size);
}

SinoStatus sino_toeplitz_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoToeplitzMap *map,
                                  int64_t part_count, SinoToeplitzPlan **plan)
{
    SinoToeplitzPlan *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoToeplitzPlan){.runtime = runtime,
                               .map = *map,
                               .part_count = part_count,
                               .scratch_bytes = sino_toeplitz_scratch_bytes(geometry),
                               .product_work = sino_toeplitz_flops(geometry->grid_size),
                               .back_work = (double)sino_geometry_ray_count(geometry)};
    for (int64_t p = 0; p < part_count; p++) made->filled += map->part_rows[p] > 0;
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

/* Appends the parts that are not empty. */
static int add_parts(const SinoToeplitzPlan *plan, SinoData *const *part, SinoAccessMode mode, int count,
                     SinoAccess *access)
{
    for (int64_t p = 0; p < plan->part_count; p++)
        if (plan->map.part_rows[p] > 0) access[count++] = (SinoAccess){part[p], mode};
    return count;
}

static SinoStatus submit(const SinoToeplitzPlan *plan, const SinoTaskKind *kind, SinoPosition position,
                         SinoSlices slices, double work, int count, const SinoAccess *access)
{
    const Arguments arguments = {.plan = plan, .slices = slices};
    return sino_task_submit(plan->runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = count,
                                               SINO_OF_SLICES(slices),
                                               .work = work * (double)slices.slice_count});
}

SinoStatus sino_insert_toeplitz_product(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                        SinoData *const *x, SinoData *const *y)
{
    SinoAccess *access = NULL;
    SINO_TRY(sino_allocate(FIRST + 2 * plan->filled, sizeof *access, "the data of a task", &access));
    access[SCRATCH] = (SinoAccess){plan->scratch, SINO_SCRATCH};
    int count = add_parts(plan, x, SINO_READ, FIRST, access);
    count = add_parts(plan, y, SINO_WRITE, count, access);
    SinoStatus status = submit(plan, &product_kind, position, slices, plan->product_work, count, access);
    free(access);
    return status;
}

SinoStatus sino_insert_toeplitz_back(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                     SinoData *b, SinoData *const *x)
{
    SinoAccess *access = NULL;
    SINO_TRY(sino_allocate(FIRST + 1 + plan->filled, sizeof *access, "the data of a task", &access));
    access[SCRATCH] = (SinoAccess){plan->scratch, SINO_SCRATCH};
    access[FIRST] = (SinoAccess){b, SINO_READ};
    const int count = add_parts(plan, x, SINO_WRITE, FIRST + 1, access);
    SinoStatus status = submit(plan, &back_kind, position, slices, plan->back_work, count, access);
    free(access);
    return status;
}
