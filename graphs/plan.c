/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: what a run on many ranks would need and take, from a scan's sizes alone. */
#include "plan.h"

#include "memory.h"
#include "platform.h"
#include "workflows.h"

#include <stdlib.h>

static const double half_turn_rad = 3.14159265358979323846;

/* A scan without a file: counts of two bytes, a flat and a dark field, the axis in the middle. */
static SinoStatus describe(const SinoSettings *settings, double **angle_rad, SinoForecastRequest *request)
{
    const int64_t angles = settings->angles, columns = settings->columns;
    SINO_TRY(sino_allocate(angles, sizeof **angle_rad, "angles", angle_rad));
    for (int64_t k = 0; k < angles; k++) (*angle_rad)[k] = half_turn_rad * (double)k / (double)angles;
    request->scan = (SinoGeometry){.angle_count = angles,
                                   .column_count = columns,
                                   .grid_size = columns,
                                   .angle_rad = *angle_rad,
                                   .center = (double)(columns - 1) / 2};
    request->slice_count = settings->slices;
    request->slice_input_bytes = angles * columns * sino_count_bytes(SINO_COUNT_UINT16);
    request->slice_field_bytes = 2 * columns * (int64_t)sizeof(float);
    return NULL;
}

static SinoStatus print_plan(const SinoForecastRequest *request)
{
    SinoForecast forecast;
    SINO_TRY(sino_forecast_new(request, &forecast));
    if (request->settings->plan_format == SINO_PLAN_JSON)
        sino_plan_print_json(request, &forecast, stdout);
    else
        sino_plan_print(request, &forecast, stdout);
    sino_forecast_free(&forecast);
    return NULL;
}

SinoStatus sino_plan(const SinoSettings *settings, SinoLog *log)
{
    SinoInput input = {0};
    double *angle_rad = NULL;
    const int64_t budget = settings->memory_bytes ? settings->memory_bytes : sino_platform_available_bytes() / 10 * 8;
    SinoForecastRequest request = {.settings = settings,
                                   .solver = sino_solver_find(settings->algorithm),
                                   .rank_count = settings->ranks,
                                   .worker_count = settings->workers ? settings->workers : sino_platform_core_count(),
                                   .machine_sockets = sino_platform_socket_count(),
                                   .budget_bytes = budget};
    if (settings->file_name) {
        SINO_TRY(sino_input_open(settings, log, &input));
        sino_forecast_take_input(&input, &request);
    } else {
        SINO_TRY(describe(settings, &angle_rad, &request));
    }
    SinoStatus status = print_plan(&request);
    if (settings->file_name) sino_input_close(&input);
    free(angle_rad);
    return status;
}
