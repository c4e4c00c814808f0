/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of a cone beam: by FDK, its memory, and its time on R × C ranks; or by an iterative algorithm. */
#include "arithmetic.h"
#include "center_search.h"
#include "cone_scan.h"
#include "job_kind.h"
#include "plan_report.h"
#include "usual_algorithm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static SinoConeProblem problem_of(const SinoProjectionSettings *settings, const SinoCone *cone)
{
    return (SinoConeProblem){.column_count = cone->column_count,
                             .row_count = cone->row_count,
                             .angle_count = cone->angle_count,
                             .x_count = cone->x_count,
                             .y_count = cone->y_count,
                             .z_count = sino_cone_slices(cone),
                             .sample_bytes =
                                 settings->precision == SINO_MIXED ? (int64_t)sizeof(int16_t) : (int64_t)sizeof(float),
                             .block_angles = SINO_BLOCK_PROJECTIONS,
                             .passes = 1};
}

/* The range of an integer volume takes a pass over the projections before the run. */
static SinoStatus add_range(const SinoSettings *settings, const SinoInput *input, const SinoMachine *machine,
                            SinoConeModelReport *report)
{
    const SinoSettings quick = sino_cone_coarse_settings(settings);
    const SinoCone coarse = sino_cone_coarse(&report->cone);
    const SinoUnitPlanRequest request = sino_fdk_plan_request(&quick, input, &coarse, machine, settings->plan.ranks);
    SinoUnitPlan plan;
    SINO_TRY(sino_unit_plan_new(&request, &plan));
    report->plan.total_bytes = sino_larger(report->plan.total_bytes, plan.total_bytes);
    const SinoConeProblem problem = problem_of(&settings->projection, &coarse);
    const SinoConeGrid grid = {plan.streaming.grid_rows, plan.streaming.grid_columns};
    report->range_s = sino_cone_times(&report->machine, &problem, grid).run;
    return NULL;
}

/* This machine; its rates are not used. */
static SinoStatus cores_of(const SinoSettings *settings, SinoMachine *machine)
{
    SinoSettings plain = *settings;
    plain.plan.machine = NULL;
    return sino_machine_new(&plain, 0, machine);
}

/* Ranks of cores divide their work as recon does. */
static SinoStatus divide_cores(const SinoSettings *settings, const SinoInput *input, SinoConeModelReport *report)
{
    SinoMachine machine;
    SINO_TRY(cores_of(settings, &machine));
    const SinoUnitPlanRequest request =
        sino_fdk_plan_request(settings, input, &report->cone, &machine, settings->plan.ranks);
    SINO_TRY(sino_unit_plan_new(&request, &report->plan));
    const SinoConeStreaming *streaming = &report->plan.streaming;
    report->planned = true;
    report->problem.passes = streaming->slab_count;
    if (settings->output.type != SINO_OUTPUT_FLOAT32) SINO_TRY(add_range(settings, input, &machine, report));
    report->grid = (SinoConeGrid){streaming->grid_rows, streaming->grid_columns};
    report->why = settings->team.grid.batch_groups > 0 ? "given"
                  : settings->plan.ranks == 1          ? "one rank"
                                                       : "as many rows of ranks as there are slices for";
    return NULL;
}

/* Each device holds the part of its rank. */
static SinoStatus divide_devices(const SinoSettings *settings, SinoConeModelReport *report)
{
    const SinoGridShape given = settings->team.grid;
    report->why = "the fewest rows of ranks whose parts fit devices";
    if (given.batch_groups == 0)
        return sino_cone_grid_choose(&report->machine, &report->problem, settings->plan.ranks, &report->grid);
    report->why = "given";
    report->grid = (SinoConeGrid){given.batch_groups, given.data_ranks};
    SINO_CHECK(sino_times(given.batch_groups, given.data_ranks) == settings->plan.ranks, SINO_BAD_INPUT,
               "grid is %" PRId64 "x%" PRId64 ", and there are %" PRId64
               " ranks; allowed with --geometry cone: auto, or rows x columns of as many ranks",
               given.batch_groups, given.data_ranks, settings->plan.ranks);
    return NULL;
}

static SinoStatus divide(const SinoSettings *settings, const SinoInput *input, SinoConeModelReport *report)
{
    const SinoConeSymmetry symmetry = sino_cone_symmetry(&report->cone, settings->projection.symmetry);
    SINO_TRY(sino_cone_machine_new(settings, symmetry.turns > 1 || symmetry.halves > 1, &report->machine));
    return report->machine.to_device_gbps > 0 ? divide_devices(settings, report)
                                              : divide_cores(settings, input, report);
}

/* Of ranks that compute on cores: the number of cores beside devices is not known. */
static SinoStatus print_script(const SinoSettings *settings, const SinoConeModelReport *report)
{
    SinoMachine machine;
    SINO_CHECK(report->planned, SINO_BAD_INPUT,
               "--slurm is yes with FDK on devices; allowed: without --machine abci and --device-memory");
    SINO_TRY(cores_of(settings, &machine));
    const double run_s = sino_cone_times(&report->machine, &report->problem, report->grid).run + report->range_s;
    const SinoSlurmJob job = {&machine, machine.worker_count, report->plan.total_bytes, run_s};
    return sino_plan_slurm(settings, &job, stdout);
}

static SinoStatus print_plan(const SinoSettings *settings, const SinoInput *input, SinoConeModelReport *report)
{
    if (sino_job_kind(settings)->job != SINO_JOB_FDK)
        return sino_plan_volume(settings, input, &report->cone, report->assumed);
    report->problem = problem_of(&settings->projection, &report->cone);
    SINO_TRY(divide(settings, input, report));
    if (settings->plan.slurm) return print_script(settings, report);
    if (settings->output.json)
        sino_cone_model_json(report, stdout);
    else
        sino_cone_model_print(report, stdout);
    return NULL;
}

/* The scan, with the axis that is given or, by `find`, found at a glance, or else in the middle. */
static SinoStatus plan_input(const SinoSettings *settings, SinoLog *log, bool find, SinoInput *input,
                             SinoConeModelReport *report)
{
    SinoFindings findings = {0};
    double center = 0;
    if (find) SINO_TRY(sino_center_quick(settings, input, &findings));
    SINO_TRY(sino_findings_judge(&findings, log));
    SINO_TRY(sino_center_given(&settings->center, input, &center));
    SINO_TRY(sino_cone_scan(settings, input, center, &report->cone));
    SINO_TRY(sino_cone_take_margin(settings, &report->cone));
    return print_plan(settings, input, report);
}

SinoStatus sino_plan_cone(const SinoSettings *given, SinoLog *log)
{
    SinoSettings usual = *given;
    const SinoSettings *settings = &usual;
    const bool known = settings->geometry.source_object_mm > 0 && settings->geometry.source_detector_mm > 0;
    const bool file = settings->input.file_name != NULL;
    SinoConeModelReport report = {.assumed = !file && !(known && settings->geometry.detector_pixel.width > 0)};
    SinoImagined imagined = {0};
    SinoInput input = {0};
    SinoStatus status = file ? sino_input_open(settings, log, &input) : sino_plan_imagine(settings, &imagined, &input);
    if (!status) status = sino_usual_iterations(&input.geometry, &usual);
    if (!status) status = plan_input(settings, log, file, &input, &report);
    sino_input_close(&input);
    free(imagined.angle_rad);
    return status;
}
