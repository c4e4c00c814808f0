/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: the resources and time of a run on many ranks, from a scan's sizes alone. */
#include "plan_report.h"

#include "angle_list.h"
#include "arithmetic.h"
#include "memory.h"
#include "workflows.h"

#include <stdlib.h>

/* The angles of --theta, else equal steps from 0° to 180°, the end left out. */
static SinoStatus describe_angles(const SinoSettings *settings, double **angle_rad)
{
    int64_t count = settings->angles;
    if (settings->theta) return sino_angle_list_read(settings->theta, count, &count, angle_rad);
    SINO_TRY(sino_allocate(count, sizeof **angle_rad, "angles", angle_rad));
    for (int64_t k = 0; k < count; k++) (*angle_rad)[k] = SINO_PI * (double)k / (double)count;
    return NULL;
}

/* Describes a scan without a file: counts of two bytes, one flat and one dark field, the axis in the middle. */
static SinoStatus describe(const SinoSettings *settings, double **angle_rad, SinoWorkload *job)
{
    const int64_t angles = settings->angles, columns = settings->columns;
    int64_t grid_size;
    SINO_TRY(sino_input_grid_size(settings, columns, &grid_size));
    const SinoSolver *solver = sino_solver_find(settings->algorithm);
    SINO_TRY(describe_angles(settings, angle_rad));
    *job = (SinoWorkload){.problem = {.geometry = {.angle_count = angles,
                                                   .column_count = columns,
                                                   .grid_size = grid_size,
                                                   .angle_rad = *angle_rad,
                                                   .center = (double)(columns - 1) / 2},
                                      .precision = settings->precision,
                                      .symmetry = settings->symmetry,
                                      .subset_count = sino_solver_subsets(solver, settings)},
                          .solver = solver,
                          .history_columns = sino_solver_history_columns(solver, settings),
                          .slice_count = settings->slices,
                          .slice_bytes = sino_times(sino_times(angles, columns), sino_count_bytes(SINO_COUNT_UINT16)),
                          .field_bytes = columns * (int64_t)sizeof(float),
                          .field_images = 1,
                          .pictures = settings->pictures};
    return NULL;
}

static SinoStatus print_plan(const SinoSettings *settings, const SinoPlanRequest *request)
{
    SinoForecast forecast;
    SINO_TRY(sino_forecast_new(request, &forecast));
    if (settings->json)
        sino_plan_report_json(request, &forecast, stdout);
    else
        sino_plan_report_print(request, &forecast, stdout);
    sino_forecast_free(&forecast);
    return NULL;
}

SinoStatus sino_plan(const SinoSettings *settings, SinoLog *log)
{
    SinoInput input = {0};
    double *angle_rad = NULL;
    SinoPlanRequest request = {.choices = sino_choices_of(settings), .rank_count = settings->ranks};
    if (settings->file_name) SINO_TRY(sino_input_try(settings));
    SINO_TRY(sino_machine_new(settings, 0, &request.machine));
    /* If only the topology gives a number of workers, it determines the workers of a rank. */
    if (settings->topology.workers > 0 && settings->workers == 0) request.machine.worker_count = 0;
    if (settings->file_name) {
        SINO_TRY(sino_input_open(settings, log, &input));
        request.job = sino_workload_of_input(settings, &input);
    } else {
        SINO_TRY(describe(settings, &angle_rad, &request.job));
    }
    SinoStatus status = print_plan(settings, &request);
    if (settings->file_name) sino_input_close(&input);
    free(angle_rad);
    return status;
}
