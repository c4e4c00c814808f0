/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution plan: the memory of an iterative reconstruction of a cone beam, and its time. */
#include "cone_solution_plan.h"

#include "arithmetic.h"
#include "job_kind.h"
#include "memory.h"
#include "resources.h"
#include "stages.h"

#include <inttypes.h>

enum { IMAGE_SLICES = 16 /* a cache line of voxels along z */, IMAGE_SETS_MAX = 16 };

const SinoConeProductRates sino_cone_usual_products = {.project_gups = 1.5, .backproject_gups = 1.3};

static const double giga = 1e9;

SinoStatus sino_cone_solution_problem(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                      int64_t rank_count, SinoProblem *problem)
{
    const SinoJobKind *kind = &sino_job_kinds[SINO_JOB_VOLUME];
    const bool shared = rank_count > 1 || settings->grid.batch_groups > 1 || settings->grid.data_ranks > 1;
    const int64_t subsets = sino_solver_subsets(
        sino_solver_find(settings->algorithm, SINO_PROJECTOR_RAYS, SINO_WEIGHTS_NONE, 2), settings, cone->angle_count);
    if (shared) SINO_TRY(sino_job_check(kind, SINO_JOB_RANKS));
    if (settings->precision != SINO_SINGLE) SINO_TRY(sino_job_check(kind, SINO_JOB_MIXED));
    SINO_CHECK(subsets <= cone->angle_count, SINO_BAD_INPUT,
               "subsets is %" PRId64 ", and the scan has %" PRId64 " angles; allowed: 1 to %" PRId64, subsets,
               cone->angle_count, cone->angle_count);
    *problem =
        (SinoProblem){.geometry = input->geometry, .cone = cone, .precision = SINO_SINGLE, .subset_count = subsets};
    return NULL;
}

SinoConeSolutionPlanRequest sino_cone_solution_plan_request(const SinoSettings *settings, const SinoInput *input,
                                                            const SinoProblem *problem, const SinoMachine *machine)
{
    const SinoSolver *solver = sino_solver_find(settings->algorithm, SINO_PROJECTOR_RAYS, SINO_WEIGHTS_NONE, 2);
    const SinoRecordShape shape =
        sino_cone_record_shape(problem->cone, sino_solver_history_columns(solver, settings),
                               sino_solver_history_numbers(solver, settings), sino_settings_records_planes(settings));
    const int64_t packing = sino_workload_packing(settings, machine, sino_times(IMAGE_SETS_MAX, IMAGE_SLICES),
                                                  sino_times(problem->cone->x_count, problem->cone->y_count));
    return (SinoConeSolutionPlanRequest){.problem = problem,
                                         .input = input,
                                         .solver = solver,
                                         .machine = *machine,
                                         .history_numbers = shape.numbers,
                                         .field_images = sino_workload_fields(input),
                                         .record_bytes = sino_record_bytes(&shape) + packing};
}

static SinoStatus complete(const SinoConeSolutionPlanRequest *request, bool generous, SinoConeSolutionPlan *plan)
{
    const SinoInput *input = request->input;
    const int64_t workers = sino_larger(request->machine.worker_count, 1);
    plan->sets = (SinoConeSets){.piece_sets = generous ? sino_smaller(sino_larger(workers, 2), SINO_COUNT_SETS_MAX) : 1,
                                .image_slices = sino_smaller(IMAGE_SLICES, request->problem->cone->z_count),
                                .image_sets = generous ? sino_smaller(sino_larger(workers / 2, 2), IMAGE_SETS_MAX) : 1};
    SINO_TRY(sino_cone_solution_bytes(request->problem, input, request->solver, request->history_numbers, &plan->sets,
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

SinoStatus sino_cone_solution_least_bytes(const SinoConeSolutionPlanRequest *request, int64_t *bytes)
{
    SinoConeSolutionPlan plan;
    SINO_TRY(complete(request, false, &plan));
    *bytes = plan.total_bytes;
    return NULL;
}

SinoConeSolutionTimes sino_cone_solution_times(const SinoConeSolutionPlanRequest *request,
                                               const SinoConeSolutionPlan *plan, int64_t iterations)
{
    const SinoCone *cone = request->problem->cone;
    const SinoConeProductRates rates = sino_cone_usual_products;
    const double workers = (double)sino_larger(request->machine.worker_count, 1);
    const double voxels = (double)cone->x_count * (double)cone->y_count * (double)cone->z_count;
    const double rays = (double)cone->angle_count * (double)cone->column_count * (double)cone->row_count;
    const double updates = voxels * (double)cone->angle_count / (giga * workers);
    const double file = giga * request->machine.rates.file_gbps / sizeof(float);
    SinoConeSolutionTimes times = {.load = rays / file,
                                   .start = updates / rates.backproject_gups,
                                   .products = updates / rates.project_gups + updates / rates.backproject_gups,
                                   .vectors = 2 * (double)plan->bytes.vectors /
                                              (giga * workers * request->machine.rates.memory_gbps),
                                   .store = voxels / file};
    times.iteration = times.products + times.vectors;
    times.run = times.load + times.start + (double)iterations * times.iteration + times.store;
    return times;
}
