/* SPDX-License-Identifier: BSD-3-Clause */
/* info: the contents of a scan, suspicious values in it, and the resources that a recon of it needs; of what is no scan
 * info_matrix.c tells. */
#include "info_report.h"

#include "center_search.h"
#include "forecast.h"
#include "job_kind.h"
#include "memory.h"
#include "scanner_header.h"
#include "sort.h"
#include "unit_plan.h"
#include "usual_algorithm.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most images of a kind that are inspected, evenly spread; most values of an image, in pieces of rows, evenly spread;
 * most values of a piece. They bound time and memory whatever sizes a file declares. */
enum { IMAGES = 16, IMAGE_VALUES = 1 << 22, PIECE_VALUES = 1 << 20 };

static void look(const SinoScanInfo *info, int64_t count, const float *values, SinoSurvey *seen)
{
    const float full = info->full_count > 0 ? (float)info->full_count : NAN;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            seen->not_finite++;
            continue;
        }
        seen->least = fmin(seen->least, (double)values[i]);
        seen->most = fmax(seen->most, (double)values[i]);
        seen->sum += (double)values[i];
        seen->count++;
        seen->zero += values[i] == 0;
        seen->saturated += values[i] == full;
    }
}

static int64_t piece_rows(const SinoScanInfo *info)
{
    return sino_smaller(info->row_count, sino_larger(1, PIECE_VALUES / info->column_count));
}

static SinoStatus read_box(SinoScan *scan, SinoInfoField field, int64_t image, const SinoScanBox *box, float *values)
{
    if (field == SINO_INFO_FLATS) return sino_scan_read_some_flats(scan, image, 1, box, values);
    if (field == SINO_INFO_DARKS) return sino_scan_read_some_darks(scan, image, 1, box, values);
    return sino_scan_read_projection(scan, image, box, values);
}

/* Inspects an image: all rows, or as many pieces of rows as have IMAGE_VALUES values. */
static SinoStatus look_at_image(SinoScan *scan, SinoInfoField field, int64_t image, float *values, SinoSurvey *seen)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    const int64_t rows = piece_rows(info), pieces = sino_ceil_divide(info->row_count, rows);
    const int64_t taken = sino_smaller(pieces, sino_larger(1, IMAGE_VALUES / sino_times(rows, info->column_count)));
    for (int64_t i = 0; i < taken; i++) {
        const int64_t row = sino_times(i * pieces / taken, rows);
        const SinoScanBox box = {.first_row = row,
                                 .row_count = sino_smaller(rows, info->row_count - row),
                                 .column_count = info->column_count};
        SINO_TRY(read_box(scan, field, image, &box, values));
        look(info, sino_times(box.row_count, box.column_count), values, seen);
    }
    return NULL;
}

/* Inspects IMAGES of the images of a kind, or all of them. */
static SinoStatus look_through(SinoScan *scan, SinoInfoField field, int64_t images, SinoSurvey *seen)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    int64_t count;
    float *values = NULL;
    *seen = (SinoSurvey){.images = sino_smaller(images, IMAGES), .least = INFINITY, .most = -INFINITY};
    SINO_TRY(sino_multiply(piece_rows(info), info->column_count, "counts", &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "counts", &values));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < seen->images && !status; i++)
        status = look_at_image(scan, field, i * images / seen->images, values, seen);
    free(values);
    return status;
}

static SinoStatus warn_of_values(SinoInfoReport *report, SinoInfoField field, const char *name)
{
    const SinoSurvey *seen = &report->seen[field];
    const SinoInfoPart part = SINO_INFO_OF_FIELDS + field;
    if (seen->not_finite)
        SINO_TRY(sino_info_warn(report, part, "%s: %" PRId64 " values are not finite", name, seen->not_finite));
    if (seen->saturated)
        SINO_TRY(sino_info_warn(report, part, "%s: %" PRId64 " values are saturated", name, seen->saturated));
    if (seen->zero) SINO_TRY(sino_info_warn(report, part, "%s: %" PRId64 " values are zero", name, seen->zero));
    return NULL;
}

static SinoStatus inspect_fields(SinoInfoReport *report, SinoInfoField field, int64_t images)
{
    SinoSurvey *seen = &report->seen[field];
    if (images == 0) return NULL;
    SINO_TRY(look_through(report->input->scan, field, images, seen));
    if (field != SINO_INFO_FLATS) return NULL;
    if (seen->most <= 0)
        SINO_TRY(sino_info_warn(report, SINO_INFO_OF_FIELDS + field, "flat: every value is zero or less"));
    return warn_of_values(report, field, "flat");
}

static SinoStatus inspect_data(SinoInfoReport *report)
{
    const SinoInput *input = report->input;
    SinoSurvey *seen = &report->seen[SINO_INFO_DATA];
    SINO_TRY(look_through(input->scan, SINO_INFO_DATA, input->info->angle_count, seen));
    if (!input->minus_log) seen->zero = 0; /* zero is the line integral of air */
    return warn_of_values(report, SINO_INFO_DATA, input->flat_correction == SINO_FLAT_NONE ? "values" : "counts");
}

/* Finds range and steps of the angles. */
static SinoStatus inspect_angles(SinoInfoReport *report)
{
    const SinoScanInfo *info = report->input->info;
    const int64_t count = info->angle_count;
    double *sorted = NULL;
    SINO_TRY(sino_allocate(count, sizeof *sorted, "angles", &sorted));
    for (int64_t k = 0; k < count; k++) sorted[k] = info->angle_rad[k];
    (void)sino_sort_finite(count, sorted);
    report->least_rad = sorted[0];
    report->most_rad = sorted[count - 1];
    report->least_step_rad = count > 1 ? INFINITY : 0;
    for (int64_t k = 1; k < count; k++) {
        const double step = sorted[k] - sorted[k - 1];
        report->repeated_angles += step == 0;
        report->least_step_rad = fmin(report->least_step_rad, step);
        report->most_step_rad = fmax(report->most_step_rad, step);
    }
    free(sorted);
    if (report->repeated_angles == 0) return NULL;
    return sino_info_warn(report, SINO_INFO_OF_ANGLES, "angles: %" PRId64 " are repeated", report->repeated_angles);
}

/* The least memory of a recon: of the whole operator as one partition, or of windows, which need several. */
static SinoStatus forecast_least(const SinoPlanRequest *request, int64_t *least_bytes)
{
    *least_bytes = INT64_MAX;
    for (int64_t partitions = 0; partitions < 2; partitions++) {
        SinoForecast least;
        SinoPlanRequest small = *request;
        small.least = true;
        small.choices.minibatch = 1;
        small.choices.partitions = partitions;
        small.machine.memory_bytes = INT64_MAX;
        SINO_TRY(sino_forecast_new(&small, &least));
        if (least.plan.resources.total_bytes < *least_bytes) *least_bytes = least.plan.resources.total_bytes;
        sino_forecast_free(&least);
    }
    return NULL;
}

/* Warns that recon is impossible. Consumes the status. */
static SinoStatus warn_of_recon(SinoInfoReport *report, SinoStatus status)
{
    SinoStatus warned = sino_info_warn(report, SINO_INFO_OF_RECON, "recon: %s", sino_status_text(status));
    sino_status_free(status);
    return warned;
}

/* The memory of `recon` with the default settings on this machine, and the least memory that suffices. */
static SinoStatus forecast(SinoInfoReport *report)
{
    SinoForecast usual;
    SinoNormalWork normal;
    SinoMachine machine;
    SinoSettings settings = *report->settings;
    SINO_TRY(sino_usual_iterations(&report->input->geometry, &settings));
    SINO_TRY(sino_machine_new(&settings, 0, &machine));
    const SinoPlanRequest request = sino_run_plan_request(&settings, report->input, &machine, 1, &normal);
    SINO_TRY(forecast_least(&request, &report->least_bytes));
    SinoStatus status = sino_forecast_new(&request, &usual);
    if (status) return warn_of_recon(report, status);
    report->usual_bytes = usual.plan.resources.total_bytes;
    report->operator_bytes = usual.plan.resources.operator_bytes;
    sino_forecast_free(&usual);
    return NULL;
}

/* What recon refuses is a finding, too. Other errors are returned. */
static SinoStatus find(SinoInfoReport *report, const char *event, SinoStatus status)
{
    if (sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    sino_findings_add(&report->findings, true, event, "%s", sino_status_text(status));
    sino_status_free(status);
    return NULL;
}

static SinoStatus take_usual(SinoInfoReport *report, const SinoUnitPlanRequest *request)
{
    SinoUnitPlan plan;
    SinoStatus status = sino_unit_plan_new(request, &plan);
    if (status) return warn_of_recon(report, status);
    report->usual_bytes = plan.total_bytes;
    report->voxel_bytes = plan.bytes.parts;
    report->pass_count = plan.streaming.slab_count;
    return NULL;
}

/* The memory of an iterative algorithm for a cone beam: the usual one, or cg where that is fdk. */
static SinoStatus forecast_cone_solution(SinoInfoReport *report, const SinoMachine *machine)
{
    SinoProblem problem;
    SinoSettings settings = *report->settings;
    SinoCone cone = report->cone;
    const bool usual = settings.solver.algorithm != SINO_ALGORITHM_FDK;
    if (!usual) settings.solver.algorithm = SINO_ALGORITHM_CG;
    SINO_TRY(sino_usual_iterations(&report->input->geometry, &settings));
    SINO_TRY(sino_cone_take_margin(&settings, &cone));
    SINO_TRY(sino_volume_problem(&settings, report->input, &cone, 1, &problem));
    const SinoUnitPlanRequest request = sino_volume_plan_request(&settings, report->input, &problem, 1, machine);
    SINO_TRY(sino_unit_plan_least_bytes(&request, &report->solution_bytes));
    return usual ? take_usual(report, &request) : NULL;
}

/* The same for a cone beam, whose axis is assumed in the middle. */
static SinoStatus forecast_cone(SinoInfoReport *report)
{
    SinoMachine machine;
    SINO_TRY(sino_usual_algorithm(report->settings, &report->usual));
    SINO_TRY(sino_machine_new(report->settings, 0, &machine));
    SINO_TRY(forecast_cone_solution(report, &machine));
    if (report->arc.length_rad == 0) return NULL;
    const SinoUnitPlanRequest request =
        sino_fdk_plan_request(report->settings, report->input, &report->cone, &machine, 1);
    SINO_TRY(sino_unit_plan_least_bytes(&request, &report->least_bytes));
    return report->settings->solver.algorithm == SINO_ALGORITHM_FDK ? take_usual(report, &request) : NULL;
}

/* Arcs that fdk refuses are no fault where another algorithm is usual. */
static SinoStatus describe_arc(SinoInfoReport *report)
{
    SinoStatus refused = report->cone.view ? NULL : sino_cone_arc_new(&report->cone, &report->arc);
    if (report->settings->solver.algorithm == SINO_ALGORITHM_FDK) return refused;
    sino_status_free(refused);
    return NULL;
}

static SinoStatus describe_cone(SinoInfoReport *report)
{
    double center;
    SINO_TRY(sino_center_given(&report->settings->center, report->input, &center));
    SINO_TRY(sino_cone_scan(report->settings, report->input, center, &report->cone));
    SINO_TRY(describe_arc(report));
    report->cone_known = true;
    return NULL;
}

static SinoStatus inspect_cone(SinoInfoReport *report)
{
    report->setup = sino_cone_setup(&report->settings->geometry, report->input->info);
    SINO_TRY(find(report, "geometry", describe_cone(report)));
    return report->cone_known ? forecast_cone(report) : NULL;
}

static SinoStatus inspect(SinoInfoReport *report)
{
    const SinoInput *input = report->input;
    const SinoScanInfo *info = input->info;
    for (const char *line = info->remark; *line; line += strspn(line, "\n")) {
        const size_t length = strcspn(line, "\n");
        SINO_TRY(sino_info_warn(report, SINO_INFO_OF_FILE, "%.*s", (int)length, line));
        line += length;
    }
    SINO_TRY(inspect_angles(report));
    SINO_TRY(inspect_data(report));
    if (input->flat_correction != SINO_FLAT_NONE) {
        SINO_TRY(inspect_fields(report, SINO_INFO_FLATS, info->flat_count));
        SINO_TRY(inspect_fields(report, SINO_INFO_DARKS, info->dark_count));
    }
    SINO_TRY(sino_suspect(report->settings, input, &report->findings));
    SINO_TRY(sino_input_choose_stages(&report->settings->stages, report->findings.stages, report->input));
    SINO_TRY(find(report, "scan", sino_input_check(&report->settings->input, input)));
    SINO_TRY(find(report, "center", sino_center_quick(report->settings, report->input, &report->findings)));
    SINO_TRY(sino_center_lean(report->settings, input, &report->findings));
    return sino_job_is_cone(report->settings) ? inspect_cone(report) : forecast(report);
}

static SinoStatus info_of_scan(const SinoSettings *settings)
{
    SinoInput input;
    SINO_TRY(sino_input_describe(settings, &input));
    SinoInfoReport report = {.settings = settings, .input = &input};
    SinoStatus status = inspect(&report);
    if (!status && settings->output.json)
        sino_info_report_json(&report, stdout);
    else if (!status)
        sino_info_report_print(&report, stdout);
    if (!status && sino_findings_refuse(&report.findings)) status = sino_error_told(SINO_BAD_INPUT);
    sino_info_report_clear(&report);
    sino_input_close(&input);
    return status;
}

/* What the header of a scanner says, also where its images are missing. */
static SinoStatus tell_header(const SinoSettings *settings)
{
    SinoScannerHeader header;
    if (settings->output.json || !sino_scanner_probe(settings->input.file_name)) return NULL;
    SinoStatus status = sino_scanner_read(settings->input.file_name, &header);
    if (!status) sino_scanner_print(&header, stdout);
    sino_scanner_clear(&header);
    return status;
}

SinoStatus sino_info(const SinoSettings *settings, SinoLog *log)
{
    if (sino_job_kind(settings)->beam == SINO_BEAM_NONE) return sino_info_matrix(settings, log);
    SINO_TRY(tell_header(settings));
    SinoStatus refused = sino_input_try(settings);
    return refused ? sino_info_unless_scan(settings, refused) : info_of_scan(settings);
}
