/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution plan: the memory of an iterative reconstruction of a cone beam. */
#include "cone_solution_plan.h"

#include "arithmetic.h"
#include "memory.h"
#include "stages.h"

#include <inttypes.h>

enum { IMAGE_SLICES = 16 /* a cache line of voxels along z */, IMAGE_SETS_MAX = 16 };

static SinoStatus complete(const SinoConeSolutionPlanRequest *request, bool generous, SinoConeSolutionPlan *plan)
{
    const SinoInput *input = request->input;
    const int64_t workers = sino_larger(request->machine.worker_count, 1);
    plan->sets = (SinoConeSets){.piece_sets = generous ? sino_smaller(sino_larger(workers, 2), SINO_COUNT_SETS_MAX) : 1,
                                .image_slices = sino_smaller(IMAGE_SLICES, request->problem->cone->z_count),
                                .image_sets = generous ? sino_smaller(sino_larger(workers / 2, 2), IMAGE_SETS_MAX) : 1};
    SINO_TRY(sino_cone_solution_bytes(request->problem, input, request->solver, request->history_columns, &plan->sets,
                                      workers, &plan->bytes));
    plan->loading_bytes =
        sino_load_field_bytes(request->field_images, input->slice_count, sino_input_field_bytes(input, 1));
    plan->total_bytes = sino_runtime_base_bytes() + plan->bytes.total + plan->loading_bytes + request->record_bytes;
    return NULL;
}

static SinoStatus too_little(const SinoConeSolutionPlanRequest *request, const SinoConeSolutionPlan *plan)
{
    const SinoCone *cone = request->problem->cone;
    char budget[24], needed[24], vectors[24];
    return sino_error(SINO_BAD_INPUT,
                      "memory: %s may be used, and an iterative algorithm with %" PRId64 " x %" PRId64 " x %" PRId64
                      " voxels and %" PRId64 " projections of %" PRId64 " x %" PRId64
                      " rays needs %s (%s of vectors); allowed: --memory %" PRId64
                      "MiB or more, --algorithm fdk, or a smaller --volume",
                      sino_bytes_text(plan->budget_bytes, budget), cone->x_count, cone->y_count, cone->z_count,
                      cone->angle_count, cone->column_count, cone->row_count,
                      sino_bytes_text(plan->total_bytes, needed), sino_bytes_text(plan->bytes.vectors, vectors),
                      (plan->total_bytes >> 20) + 1);
}

SinoStatus sino_cone_solution_plan_new(const SinoConeSolutionPlanRequest *request, SinoConeSolutionPlan *result)
{
    SinoConeSolutionPlan plan = {.budget_bytes = request->machine.memory_bytes};
    for (int generous = 1; generous >= 0; generous--) {
        SINO_TRY(complete(request, generous, &plan));
        if (plan.total_bytes > plan.budget_bytes) continue;
        *result = plan;
        return NULL;
    }
    return too_little(request, &plan);
}
