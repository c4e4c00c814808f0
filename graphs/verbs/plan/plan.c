/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: the resources and time of a run on many ranks, from a scan's sizes alone. */
#include "job_kind.h"
#include "plan_report.h"

#include "center_search.h"
#include "checks.h"
#include "models.h"
#include "usual_algorithm.h"
#include "workflows.h"

#include <stdlib.h>
#include <string.h>

static SinoStatus print_plan(const SinoSettings *settings, const SinoPlanRequest *request)
{
    SinoForecast forecast;
    SinoStatus status = NULL;
    SINO_TRY(sino_forecast_new(request, &forecast));
    const SinoSlurmJob job = {&request->machine, forecast.plan.worker_count, forecast.plan.resources.total_bytes,
                              forecast.times.run};
    if (settings->plan.slurm)
        status = sino_plan_slurm(settings, &job, stdout);
    else if (settings->output.json)
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
    if (!settings->plan.machine || strcmp(settings->plan.machine, "here") != 0) return NULL;
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
    SINO_TRY(sino_input_choose_stages(&settings->stages, findings.stages, input));
    SINO_TRY(sino_center_quick(settings, input, &center));
    return sino_findings_judge(&center, log);
}

static SinoStatus open_scan(const SinoSettings *settings, SinoLog *log, SinoImagined *imagined, SinoInput *input)
{
    if (!settings->input.file_name) return sino_plan_imagine(settings, imagined, input);
    SINO_TRY(sino_input_open(settings, log, input));
    return choose(settings, log, input);
}

static SinoStatus plan_on(const SinoSettings *given, SinoLog *log, const SinoTaskCosts *costs)
{
    SinoSettings usual = *given;
    const SinoSettings *settings = &usual;
    SinoImagined imagined = {0};
    SinoInput input = {0};
    SinoNormalWork normal;
    SinoMachine machine;
    SINO_TRY(sino_machine_new(settings, 0, &machine));
    machine.costs = costs;
    /* If only the topology gives a number of workers, it determines the workers of a rank. */
    if (settings->team.topology.workers > 0 && settings->runtime.workers == 0) machine.worker_count = 0;
    SinoStatus status = open_scan(settings, log, &imagined, &input);
    if (!status) status = sino_usual_iterations(&input.geometry, &usual);
    if (!status) {
        const SinoPlanRequest request =
            sino_run_plan_request(settings, &input, &machine, settings->plan.ranks, &normal);
        status = print_plan(settings, &request);
    }
    sino_input_close(&input);
    free(imagined.angle_rad);
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
                                                              [SINO_JOB_VECTORS] = sino_plan_cone,
                                                              [SINO_JOB_COUNTS] = sino_plan_matrix};
    const SinoJobKind *kind = sino_job_kind(settings);
    SinoSettings whole = *settings; /* a rank for each node; presets of cone beams have one node */
    SinoMachineFile machine = {.nodes = 1};
    if (settings->plan.ranks == 0 && kind->beam != SINO_BEAM_CONE) SINO_TRY(sino_machine_named(settings, &machine));
    if (settings->plan.ranks == 0) whole.plan.ranks = machine.nodes;
    if (settings->input.file_name && kind->beam != SINO_BEAM_NONE) SINO_TRY(sino_input_try(settings));
    return plans[kind->job](&whole, log);
}
