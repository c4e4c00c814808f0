/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: the resources and time of a run on many ranks, from a scan's sizes alone. */
#include "job_kind.h"
#include "plan_report.h"

#include "arithmetic.h"
#include "center_quick.h"
#include "mask.h"
#include "memory.h"
#include "model_directory.h"
#include "suspicion.h"
#include "workflows.h"

#include <stdlib.h>
#include <string.h>

/* Describes a scan without a file: counts of two bytes, one flat and one dark field, the axis in the middle. */
static SinoStatus describe(const SinoSettings *settings, double **angle_rad, SinoWorkload *job)
{
    const int64_t angles = settings->angles, columns = settings->columns;
    SinoGeometry grid = {0};
    SINO_TRY(sino_input_size_grid(settings, columns, &grid));
    const int64_t side = sino_geometry_slice_side(&grid);
    const SinoSolver *solver = sino_solver_of(settings);
    SINO_TRY(sino_plan_angles(settings, SINO_PI, angle_rad));
    *job = (SinoWorkload){.problem = {.geometry = {.angle_count = angles,
                                                   .column_count = columns,
                                                   .grid_size = grid.grid_size,
                                                   .margin = grid.margin,
                                                   .angle_rad = *angle_rad,
                                                   .center = (double)(columns - 1) / 2},
                                      .precision = settings->precision,
                                      .symmetry = settings->symmetry,
                                      .subset_count = sino_solver_subsets(solver, settings, angles),
                                      .whole_orbits = settings->symmetry,
                                      .projector = settings->projector,
                                      .interpolation = settings->interpolation},
                          .solver = solver,
                          .sought = sino_workload_is_sought(solver, settings),
                          .halved = solver->iterative && settings->iterations == 0,
                          .history_columns = sino_solver_history_columns(solver, settings),
                          .history_numbers = sino_solver_history_numbers(solver, settings),
                          .slice_count = settings->slices,
                          .slice_bytes = sino_times(sino_times(angles, columns), sino_count_bytes(SINO_COUNT_UINT16)),
                          .field_bytes = columns * (int64_t)sizeof(float),
                          .fields_bytes = 2 * columns * (int64_t)sizeof(float),
                          .field_images = 1,
                          .packed_bytes = sino_workload_packed(settings, sino_times(side, side)),
                          .supported = sino_workload_is_supported(settings),
                          .mask_bytes = sino_mask_bytes(settings, side),
                          .pictures = sino_settings_records_planes(settings)};
    return NULL;
}

static SinoStatus print_plan(const SinoSettings *settings, const SinoPlanRequest *request)
{
    SinoForecast forecast;
    SinoStatus status = NULL;
    SINO_TRY(sino_forecast_new(request, &forecast));
    if (settings->slurm)
        status = sino_plan_slurm(settings, request, &forecast, stdout);
    else if (settings->json)
        sino_plan_report_json(request, &forecast, stdout);
    else
        sino_plan_report_print(request, &forecast, stdout);
    sino_forecast_free(&forecast);
    return status;
}

/* For the machine `here`: what runs here have measured. */
static SinoStatus open_costs(const SinoSettings *settings, SinoTaskCosts **costs)
{
    SinoMachineFile machine;
    if (!settings->machine || strcmp(settings->machine, "here") != 0) return NULL;
    SINO_TRY(sino_machine_named(settings, &machine));
    char *directory = sino_models_directory();
    SINO_CHECK(directory, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_task_costs_open(directory, &machine, costs);
    free(directory);
    return status;
}

/* What a run would choose by the values of the scan, and what takes memory: stages, and the slices of a half
 * acquisition, which it tells. */
static SinoStatus choose(const SinoSettings *settings, SinoLog *log, SinoInput *input)
{
    SinoFindings findings = {0}, center = {0};
    SINO_TRY(sino_suspect(settings, input, &findings));
    SINO_TRY(sino_input_choose_stages(settings, findings.stages, input));
    SINO_TRY(sino_center_quick(settings, input, &center));
    return sino_findings_judge(&center, log);
}

static SinoStatus plan_on(const SinoSettings *settings, SinoLog *log, const SinoTaskCosts *costs)
{
    SinoInput input = {0};
    SinoSettings normal;
    SinoWorkload by_normal;
    double *angle_rad = NULL, *same_rad = NULL;
    SinoStatus status = NULL;
    SinoPlanRequest request = {.choices = sino_choices_of(settings), .rank_count = settings->ranks};
    SINO_TRY(sino_machine_new(settings, 0, &request.machine));
    request.machine.costs = costs;
    /* If only the topology gives a number of workers, it determines the workers of a rank. */
    if (settings->topology.workers > 0 && settings->workers == 0) request.machine.worker_count = 0;
    if (settings->file_name) {
        SINO_TRY(sino_input_open(settings, log, &input));
        status = choose(settings, log, &input);
        request.job = sino_workload_of_input(settings, &input);
        if (sino_workload_by_normal(settings, &input, &normal, &by_normal)) request.normal = &by_normal;
    } else {
        status = describe(settings, &angle_rad, &request.job);
        if (!status && sino_settings_by_normal(settings, &normal)) {
            status = describe(&normal, &same_rad, &by_normal);
            request.normal = &by_normal;
        }
    }
    if (!status) status = print_plan(settings, &request);
    if (settings->file_name) sino_input_close(&input);
    free(angle_rad);
    free(same_rad);
    return status;
}

static SinoStatus plan_parallel(const SinoSettings *settings, SinoLog *log)
{
    SinoTaskCosts *costs = NULL;
    SINO_TRY(open_costs(settings, &costs));
    SinoStatus status = plan_on(settings, log, costs);
    sino_task_costs_free(costs);
    return status;
}

SinoStatus sino_plan(const SinoSettings *settings, SinoLog *log)
{
    static SinoStatus (*const plans[SINO_JOBS])(const SinoSettings *,
                                                SinoLog *) = {[SINO_JOB_SCAN] = plan_parallel,
                                                              [SINO_JOB_FDK] = sino_plan_cone,
                                                              [SINO_JOB_VOLUME] = sino_plan_cone,
                                                              [SINO_JOB_COUNTS] = sino_plan_matrix};
    const SinoJobKind *kind = sino_job_kind(settings);
    SinoSettings whole = *settings; /* a rank for each node; presets of cone beams have one node */
    SinoMachineFile machine = {.nodes = 1};
    if (settings->ranks == 0 && kind->beam != SINO_BEAM_CONE) SINO_TRY(sino_machine_named(settings, &machine));
    if (settings->ranks == 0) whole.ranks = machine.nodes;
    if (settings->file_name && kind->beam != SINO_BEAM_NONE) SINO_TRY(sino_input_try(settings));
    return plans[kind->job](&whole, log);
}
