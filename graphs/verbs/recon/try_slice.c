/* SPDX-License-Identifier: BSD-3-Clause */
/* Try: one slice, reconstructed with one value of the sweep. */
#include "checks.h"
#include "cone_reconstruction.h"
#include "cone_scan.h"
#include "cone_solution.h"
#include "input_parts.h"
#include "recon_cone.h"
#include "recon_halves.h"
#include "recon_try.h"
#include "stages.h"
#include "unit_plan.h"
#include "usual_algorithm.h"

#include <math.h>
#include <stdlib.h>

/* The cone beam of one slice, in the plane of the source. `center`: a column of the file. */
static SinoStatus cone_of(const SinoTry *try, const SinoSettings *settings, double center, SinoCone *cone)
{
    SINO_TRY(sino_cone_scan(settings, &try->input, sino_input_column_of_grid(&try->input, center), cone));
    cone->z_count = 1;
    if (cone->fans) cone->lift = ceil(cone->center_row) - cone->center_row; /* a row, not the middle of two */
    return NULL;
}

static SinoStatus find_center(SinoTry *try, const SinoSettings *settings)
{
    SinoCone cone;
    if (try->beam == SINO_BEAM_PARALLEL) return sino_center_search(try->runtime, settings, &try->input);
    SINO_TRY(cone_of(try, settings, (double)(try->input.info->column_count - 1) / 2, &cone));
    return sino_cone_center_search(try->runtime, settings, &cone, &try->input);
}

/* Restricts the input to the slice of --nsino; a cone beam's slice needs more than one row. */
static SinoStatus choose_slice(SinoTry *try)
{
    int64_t slice;
    if (try->beam == SINO_BEAM_CONE) return NULL;
    SINO_TRY(sino_input_slice_of_row(&try->input, try->settings->center.nsino, &slice));
    sino_input_take_slices(&try->input, slice, 1);
    try->input.first_slice = 0; /* of the slices that are reconstructed */
    return NULL;
}

/* The center that was found, or the middle of those that are tried; the search for it needs the runtime. */
static SinoStatus take_center(SinoTry *try, const SinoSettings *settings, bool first)
{
    double sum = 0;
    if (first && !try->swept.axis) {
        SINO_TRY(find_center(try, settings));
        try->center = sino_input_column_of_file(&try->input, try->input.geometry.center);
        return NULL;
    }
    for (int64_t i = 0; first && i < try->swept.count; i++) sum += strtod(try->swept.value[i], NULL);
    if (first) try->center = sum / (double)try->swept.count;
    try->input.geometry.center = sino_input_column_of_grid(&try->input, try->center);
    return sino_check_center(settings, &try->input, try->log);
}

SinoStatus sino_try_open(SinoTry *try, const SinoSettings *settings)
{
    const bool first = !try->runtime;
    SinoStageChoice stages;
    if (try->beam == SINO_BEAM_NONE) return sino_try_counts_open(try, settings);
    SINO_TRY(sino_input_open(settings, try->log, &try->input));
    if (first) {
        SINO_TRY(sino_recon_check_reports(settings));
        SINO_TRY(sino_rays_kind.check(settings->projection.cache));
    }
    SINO_TRY(sino_check_scan(settings, &try->input, try->log, &stages));
    SINO_TRY(sino_input_choose_stages(&settings->stages, stages, &try->input));
    if (first) SINO_TRY(sino_recon_start_runtime(settings, NULL, try->log, &try->runtime));
    if (sino_dropped_matter(settings)) SINO_TRY(sino_dropped_find(try->runtime, &try->input));
    SINO_TRY(take_center(try, settings, first));
    return choose_slice(try);
}

void sino_try_close(SinoTry *try)
{
    sino_operator_free(try->op);
    try->op = NULL;
    sino_team_free(&try->team);
    try->team = (SinoTeam){0};
    try->planned = false;
    sino_integrals_free(try->integrals);
    try->integrals = NULL;
    sino_input_close(&try->input);
    try->input = (SinoInput){0};
    sino_matrix_input_close(&try->counts);
    try->counts = (SinoMatrixInput){0};
}

/* The team and the operator of the settings, unless those of the last slice serve; all centers have one team. */
static SinoStatus take_operator(SinoTry *try, const SinoSettings *settings)
{
    if (try->op && !try->swept.geometry) return NULL;
    sino_operator_free(try->op);
    try->op = NULL;
    if (!try->planned || !try->swept.axis) {
        sino_team_free(&try->team);
        try->team = (SinoTeam){0};
        SINO_TRY(sino_team_new(try->runtime, NULL, settings, &try->input, &try->team));
        try->planned = true;
    }
    const SinoOperatorRequest wanted = sino_team_operator(&try->team, &try->input.geometry, settings->projection.cache);
    return sino_operator_new(try->runtime, &wanted, &try->op);
}

static SinoStatus reconstruct_chosen(SinoTry *try, const SinoSettings *settings, const unsigned char *mask,
                                     const SinoReconChoice *choice, SinoRecord *record)
{
    SINO_TRY(sino_input_take_angles(&try->input, try->op->place));
    const SinoReconstruction reconstruction = {.runtime = try->runtime,
                                               .settings = settings,
                                               .input = &try->input,
                                               .op = try->op,
                                               .solver = sino_solver_of(settings),
                                               .streaming = &try->team.forecast.plan.streaming,
                                               .regularization = choice->regularization,
                                               .iterations = choice->iterations,
                                               .scale = sino_recon_scale(settings),
                                               .mask = mask,
                                               .record = record};
    return sino_reconstruct(&reconstruction);
}

static SinoStatus reconstruct_masked(SinoTry *try, const SinoSettings *settings, const unsigned char *mask,
                                     SinoRecord *record)
{
    const SinoSolver *solver = sino_solver_of(settings);
    const int64_t columns = sino_solver_history_columns(solver, &settings->solver);
    const int64_t numbers = sino_solver_history_numbers(solver, &settings->solver);
    const SinoRecordShape shape = sino_record_shape(&try->input.geometry, 1, columns, numbers, true);
    SINO_TRY(sino_record_new(&shape, record));
    SINO_TRY(take_operator(try, settings));
    SinoReconChoice choice = {0};
    const SinoReconHalves of = {.runtime = try->runtime,
                                .settings = settings,
                                .input = &try->input,
                                .team = &try->team,
                                .op = try->op,
                                .solver = solver,
                                .mask = mask};
    SinoStatus status = sino_recon_halves(&of, &choice);
    if (!status) status = reconstruct_chosen(try, settings, mask, &choice, record);
    sino_recon_choice_free(&choice);
    return status;
}

static SinoStatus reconstruct(SinoTry *try, const SinoSettings *settings, SinoRecord *record)
{
    const int64_t side = sino_geometry_slice_side(&try->input.geometry);
    unsigned char *mask;
    SINO_TRY(sino_mask_read(&settings->solver, side, side, &mask));
    SinoStatus status = reconstruct_masked(try, settings, mask, record);
    free(mask);
    return status;
}

static SinoStatus plan_cone(const SinoTry *try, const SinoSettings *settings, const SinoCone *cone,
                            int64_t record_bytes, SinoUnitPlan *plan)
{
    SinoMachine machine;
    SINO_TRY(sino_machine_here(settings, try->runtime, &machine));
    SinoUnitPlanRequest request = sino_fdk_plan_request(settings, &try->input, cone, &machine, 1);
    request.grid = (SinoGridShape){0}; /* this rank is alone */
    request.record_bytes = record_bytes;
    return sino_unit_plan_new(&request, plan);
}

static SinoStatus reconstruct_cone(SinoTry *try, const SinoSettings *settings, SinoRecord *record)
{
    SinoCone cone;
    SinoUnitPlan plan;
    SinoConeTraffic traffic = {0};
    SINO_TRY(cone_of(try, settings, sino_input_column_of_file(&try->input, try->input.geometry.center), &cone));
    const SinoRecordShape shape = sino_cone_record_shape(&cone, 1, 1, true);
    SINO_TRY(plan_cone(try, settings, &cone, sino_record_bytes(&shape), &plan));
    if (!try->integrals) SINO_TRY(sino_integrals_new(try->runtime, &try->input, plan.total_bytes, &try->integrals));
    SINO_TRY(sino_record_new(&shape, record));
    const SinoConeReconstruction reconstruction = {.runtime = try->runtime,
                                                   .settings = settings,
                                                   .input = sino_integrals_or(try->integrals, &try->input),
                                                   .cone = &cone,
                                                   .streaming = &plan.streaming,
                                                   .scale = sino_recon_cone_scale(&cone),
                                                   .record = record,
                                                   .traffic = &traffic};
    return sino_cone_reconstruct(&reconstruction);
}

/* A strength found anew for each axis would hide what the axis changes. */
static SinoStatus take_prior(SinoTry *try, const SinoSettings *settings, const SinoInput *row, const SinoCone *cone,
                             bool photon_weights, const unsigned char *mask, SinoRegularization *prior)
{
    if (!try->has_prior)
        SINO_TRY(sino_recon_cone_prior(try->runtime, settings, row, cone, photon_weights, mask, &try->prior));
    try->has_prior = try->swept.axis;
    *prior = try->prior;
    return NULL;
}

static SinoStatus solve_planned(SinoTry *try, const SinoSettings *settings, const SinoInput *input,
                                const SinoUnitPlanRequest *planned, const unsigned char *mask, SinoRecord *record)
{
    const SinoCone *cone = planned->problem->cone;
    const SinoRecordShape shape =
        sino_cone_record_shape(cone, sino_solver_history_columns(planned->solver, &settings->solver),
                               sino_solver_history_numbers(planned->solver, &settings->solver), true);
    SinoUnitPlan plan;
    SinoOperator *op = NULL;
    SinoIntegrals *integrals = NULL;
    SinoRegularization regularization = {0};
    int64_t iterations = 0;
    const bool photon_weights = sino_reconstruction_weighs_photons(&settings->solver, input);
    SINO_TRY(sino_unit_plan_new(planned, &plan));
    SINO_TRY(sino_record_new(&shape, record));
    const SinoOperatorRequest wanted = {.problem = *planned->problem, .shape = SINO_EXCHANGE_ALONE(1)};
    SINO_TRY(sino_operator_new(try->runtime, &wanted, &op));
    SinoStatus status = sino_integrals_new(try->runtime, input, plan.total_bytes, &integrals);
    if (!status && planned->solver->bands)
        status =
            take_prior(try, settings, sino_integrals_or(integrals, input), cone, photon_weights, mask, &regularization);
    if (!status && !planned->solver->bands && settings->solver.iterations == 0)
        status = sino_recon_cone_iterations(try->runtime, settings, sino_integrals_or(integrals, input), cone, mask,
                                            &iterations);
    const SinoConeSolution solution = {.runtime = try->runtime,
                                       .settings = settings,
                                       .input = sino_integrals_or(integrals, input),
                                       .op = op,
                                       .solver = planned->solver,
                                       .sets = &plan.sets,
                                       .photon_weights = photon_weights,
                                       .regularization = regularization,
                                       .iterations = iterations > 0 ? &iterations : NULL,
                                       .scale = sino_recon_cone_scale(cone),
                                       .mask = mask,
                                       .record = record};
    if (!status) status = sino_cone_solve(&solution);
    sino_integrals_free(integrals);
    sino_operator_free(op);
    return status;
}

static SinoStatus solve_cone(SinoTry *try, const SinoSettings *settings, SinoRecord *record)
{
    SinoInput row = try->input;
    SinoCone cone;
    SinoMachine machine;
    SinoProblem problem;
    SINO_TRY(cone_of(try, settings, sino_input_column_of_file(&row, row.geometry.center), &cone));
    sino_cone_take_row(&row, &cone);
    SINO_TRY(sino_machine_here(settings, try->runtime, &machine));
    SINO_TRY(sino_volume_problem(settings, &row, &cone, 1, &problem));
    const SinoUnitPlanRequest planned = sino_volume_plan_request(settings, &row, &problem, 1, &machine);
    unsigned char *mask;
    SINO_TRY(sino_mask_read(&settings->solver, cone.y_count, cone.x_count, &mask));
    SinoStatus status = solve_planned(try, settings, &row, &planned, mask, record);
    free(mask);
    return status;
}

SinoStatus sino_try_slice(SinoTry *try, int64_t i, SinoRecord *record)
{
    SinoSettings varied;
    SINO_TRY(sino_swept_take(try->settings, &try->swept, i, &varied));
    if (try->swept.axis)
        try->input.geometry.center = sino_input_column_of_grid(&try->input, varied.center.rotation_axis);
    const bool matrix = try->beam == SINO_BEAM_NONE && try->swept.geometry; /* the input has its subsets */
    if ((try->swept.reopens || matrix) && i > 0) {
        sino_try_close(try);
        SINO_TRY(sino_try_open(try, &varied));
    }
    SINO_TRY(sino_usual_iterations(&try->input.geometry, &varied));
    switch (sino_job_kind(&varied)->job) {
    case SINO_JOB_FDK:
        return reconstruct_cone(try, &varied, record);
    case SINO_JOB_VOLUME:
        return solve_cone(try, &varied, record);
    case SINO_JOB_COUNTS:
        return sino_try_counts(try, &varied, record);
    default:
        return reconstruct(try, &varied, record);
    }
}
