/* SPDX-License-Identifier: BSD-3-Clause */
/* Try, counts: the images of the first set, reconstructed with one value of the sweep. */
#include "halves.h"
#include "recon_try.h"
#include "unit_plan.h"

SinoStatus sino_try_counts_open(SinoTry *try, const SinoSettings *settings)
{
    const SinoMatrixShare alone = {.rank_count = 1};
    if (!try->runtime) {
        SINO_TRY(sino_recon_check_reports(settings));
        SINO_TRY(sino_recon_start_runtime(settings, NULL, try->log, &try->runtime));
    }
    SINO_TRY(sino_matrix_input_open(settings, alone, try->log, &try->counts));
    if (sino_runtime_device_count(try->runtime) == 0) return NULL;
    return sino_matrix_input_unfold(settings, alone, try->log, &try->counts);
}

static SinoStatus plan(const SinoTry *try, const SinoSettings *settings, SinoUnitPlan *plan)
{
    SinoMachine machine;
    SINO_TRY(sino_machine_here(settings, try->runtime, &machine));
    const SinoUnitPlanRequest request = sino_counts_plan_request(settings, &try->counts, &machine);
    return sino_unit_plan_new(&request, plan);
}

/* The operator of the settings, unless that of the last value serves. */
static SinoStatus take_operator(SinoTry *try, const SinoUnitPlan *plan)
{
    const SinoOperatorRequest request = {.problem = try->counts.problem,
                                         .shape = SINO_EXCHANGE_ALONE(1),
                                         .window_count = plan->stay.window_count,
                                         .listed = plan->stay.listed,
                                         .cache = try->settings->projection.cache};
    return try->op ? NULL : sino_operator_new(try->runtime, &request, &try->op);
}

SinoStatus sino_try_counts(SinoTry *try, const SinoSettings *settings, SinoRecord *record)
{
    const SinoMatrixInput *input = &try->counts;
    SinoRecordShape shape = sino_matrix_record_shape(settings, input);
    SinoUnitPlan planned;
    int64_t iterations = 0;
    double lost = 0;
    SinoMatrixSolution solution = {.runtime = try->runtime,
                                   .settings = settings,
                                   .solver = input->solver,
                                   .files = &input->files,
                                   .set_count = 1,
                                   .batch_sets = 1,
                                   .record = record,
                                   .lost = &lost};
    SINO_TRY(sino_matrix_filter(&settings->counts, &input->survey->outline.grid, &solution.filter));
    SINO_TRY(plan(try, settings, &planned));
    SINO_TRY(take_operator(try, &planned));
    shape.pictures = true; /* they are all that is wanted */
    SINO_TRY(sino_record_new(&shape, record));
    solution.op = try->op;
    if (settings->solver.iterations == 0 && input->solver->has_likelihood) {
        SINO_TRY(sino_halves_counts(&solution, &iterations));
        solution.iterations = &iterations;
    }
    return sino_matrix_solve(&solution);
}
