/* SPDX-License-Identifier: BSD-3-Clause */
/* Info, report: what `info` found in a scan, as lines for people, and as JSON. */
#include "info_report.h"

#include "job_kind.h"
#include "memory.h"
#include "stages.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static const double degrees = 180 / SINO_PI;

SinoStatus sino_info_warn(SinoInfoReport *report, SinoInfoPart part, const char *format, ...)
{
    if (report->warning_count == SINO_INFO_WARNINGS_MAX) return NULL;
    SinoInfoWarning *warning = &report->warning[report->warning_count];
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&warning->text, format, arguments);
    va_end(arguments);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory for a warning");
    warning->part = part;
    report->warning_count++;
    return NULL;
}

void sino_info_report_clear(SinoInfoReport *report)
{
    for (int64_t i = 0; i < report->warning_count; i++) free(report->warning[i].text);
    report->warning_count = 0;
}

static void print_warnings(const SinoInfoReport *report, SinoInfoPart part, FILE *out)
{
    for (int64_t i = 0; i < report->warning_count; i++)
        if (report->warning[i].part == part) sino_report_line("warning", report->warning[i].text, out);
}

static void print_angles(const SinoInfoReport *report, FILE *out)
{
    const SinoScanInfo *info = report->input->info;
    if (sino_input_lacks_angles(report->input)) {
        fprintf(out, "angles       none in the file; needed: --theta for %" PRId64 " projections\n",
                info->file_angle_count);
        return;
    }
    fprintf(out, "angles       %" PRId64 ", %.4f to %.4f degrees", info->angle_count, report->least_rad * degrees,
            report->most_rad * degrees);
    if (info->angle_count > 1)
        fprintf(out, ", steps of %.4f to %.4f", report->least_step_rad * degrees, report->most_step_rad * degrees);
    if (info->projection)
        fprintf(out, ", from %" PRId64 " of %" PRId64 " projections", info->angle_count * info->angle_binning,
                info->file_angle_count);
    fprintf(out, "%s\n", info->angle_assumed ? " (assumed: the file has none)" : "");
    print_warnings(report, SINO_INFO_OF_ANGLES, out);
}

static double mean_of(const SinoSurvey *seen)
{
    return seen->sum / (double)seen->count;
}

/* Whether the values of the data are counts. */
static bool has_counts(const SinoInfoReport *report)
{
    return report->input->flat_correction != SINO_FLAT_NONE;
}

/* A line such as "flat         900 to 1100, mean 1000 (2 images)". */
static void print_field(const SinoInfoReport *report, SinoInfoField field, FILE *out)
{
    const char *const name[] = {has_counts(report) ? "counts" : "values", "flat", "dark"};
    const SinoSurvey *seen = &report->seen[field];
    const int64_t images = field == SINO_INFO_FLATS ? report->input->info->flat_count : report->input->info->dark_count;
    char which[80];
    if (field == SINO_INFO_DATA)
        snprintf(which, sizeof which, " (in %" PRId64 " of %" PRId64 " projections)", seen->images,
                 report->input->info->angle_count);
    else if (seen->images < images)
        snprintf(which, sizeof which, " (in %" PRId64 " of %" PRId64 " images)", seen->images, images);
    else
        snprintf(which, sizeof which, " (%" PRId64 " images)", images);
    if (seen->images == 0)
        fprintf(out, "%-12s none\n", name[field]);
    else if (seen->count == 0)
        fprintf(out, "%-12s no finite value%s\n", name[field], which);
    else
        fprintf(out, "%-12s %g to %g, mean %g%s\n", name[field], seen->least, seen->most, mean_of(seen), which);
    print_warnings(report, SINO_INFO_OF_FIELDS + field, out);
}

/* A length in mm, which may be unknown. */
static void print_length(const char *before, double mm, FILE *out)
{
    fputs(before, out);
    if (mm > 0)
        fprintf(out, "%.6g mm", mm);
    else
        fputs("unknown", out);
}

static const char *arc_name(SinoConeArcKind kind)
{
    static const char *const names[] = {
        [SINO_CONE_CIRCLE] = "circle", [SINO_CONE_DISPLACED] = "displaced", [SINO_CONE_SHORT] = "short"};
    return names[kind];
}

static const char *arc_text(SinoConeArcKind kind)
{
    static const char *const texts[] = {[SINO_CONE_CIRCLE] = "circle",
                                        [SINO_CONE_DISPLACED] = "circle with a displaced detector",
                                        [SINO_CONE_SHORT] = "short scan"};
    return texts[kind];
}

static void print_volume(const SinoInfoReport *report, FILE *out)
{
    const SinoCone *cone = &report->cone;
    if (report->cone_known)
        fprintf(out,
                "volume       %" PRId64 " x %" PRId64 " x %" PRId64 " voxels of %.6g mm with the default settings\n",
                cone->x_count, cone->y_count, cone->z_count, cone->voxel_size);
}

static void print_cone(const SinoInfoReport *report, FILE *out)
{
    const SinoScanSetup *setup = &report->setup;
    const bool fans = sino_job_is_fan(&report->settings->geometry);
    if (report->settings->geometry.vectors) {
        fprintf(out, "geometry     vectors of %s\n", report->settings->geometry.vectors);
        print_volume(report, out);
        return;
    }
    fprintf(out, "geometry     %s; ", fans ? "fan beams, one per row" : "cone beam");
    print_length("source to axis: ", setup->source_object, out);
    print_length(", to detector: ", setup->source_detector, out);
    print_length("; pixel: ", setup->pixel_width, out);
    if (setup->pixel_height != setup->pixel_width) print_length(" x ", setup->pixel_height, out);
    if (setup->source_object > 0 && setup->source_detector > 0)
        fprintf(out, "; magnification %.6g", setup->source_detector / setup->source_object);
    fputc('\n', out);
    if (report->arc.length_rad > 0)
        fprintf(out,
                "fan          %.4g degrees to the further side of the axis; %s of %.4g degrees (axis in the middle)\n",
                report->arc.fan_rad * degrees, arc_text(report->arc.kind), report->arc.length_rad * degrees);
    print_volume(report, out);
}

/* Prints what recon would warn of or refuse. */
static void print_findings(const SinoFindings *findings, FILE *out)
{
    for (int64_t i = 0; i < findings->count; i++)
        sino_report_line(findings->finding[i].refused    ? "refused"
                         : findings->finding[i].harmless ? findings->finding[i].event
                                                         : "warning",
                         findings->finding[i].text, out);
}

/* Prints the stages from values to line integrals under the default settings. */
static void print_stages(const SinoInput *input, FILE *out)
{
    const SinoStageKind *kind;
    for (int64_t i = 0; (kind = sino_stage_at(input, i)); i++) {
        char details[160];
        if (!kind->wanted(input)) continue;
        kind->describe(input, sizeof details, details);
        fprintf(out, "stage        %s: %s (%s)\n", kind->name, kind->help, details);
    }
}

static void print_least(SinoAlgorithmChoice algorithm, int64_t bytes, FILE *out)
{
    char least[24];
    if (bytes > 0)
        fprintf(out, "recon        at least %s with --algorithm %s\n", sino_bytes_text(bytes, least),
                sino_algorithm_name(algorithm));
}

/* Of the usual algorithm, and at least of fdk, or of cg where that is usual. */
static void print_cone_memory(const SinoInfoReport *report, FILE *out)
{
    char usual[24], least[24], voxels[24];
    const bool fdk = report->settings->solver.algorithm == SINO_ALGORITHM_FDK;
    if (report->usual_bytes > 0)
        fprintf(out, "recon        %s with --algorithm %s, at least %s", sino_bytes_text(report->usual_bytes, usual),
                sino_algorithm_name(report->settings->solver.algorithm),
                sino_bytes_text(fdk ? report->least_bytes : report->solution_bytes, least));
    if (report->pass_count > 0)
        fprintf(out, " (voxels: %s, passes: %" PRId64 ")", sino_bytes_text(report->voxel_bytes, voxels),
                report->pass_count);
    if (report->usual_bytes > 0) fputc('\n', out);
    if (report->usual.count > 0) fprintf(out, "algorithm    %s, for %s\n", report->usual.of[0].value, report->usual.by);
    if (fdk)
        print_least(SINO_ALGORITHM_CG, report->solution_bytes, out);
    else
        print_least(SINO_ALGORITHM_FDK, report->least_bytes, out);
}

static void print_memory(const SinoInfoReport *report, FILE *out)
{
    char usual[24], least[24], lengths[24];
    if (sino_job_is_cone(report->settings))
        print_cone_memory(report, out);
    else if (report->usual_bytes > 0)
        fprintf(out, "recon        %s with the default settings, at least %s (ray lengths: %s)\n",
                sino_bytes_text(report->usual_bytes, usual), sino_bytes_text(report->least_bytes, least),
                sino_bytes_text(report->operator_bytes, lengths));
    print_warnings(report, SINO_INFO_OF_RECON, out);
}

void sino_info_report_print(const SinoInfoReport *report, FILE *out)
{
    const SinoScanInfo *info = report->input->info;
    sino_report_line("file", report->settings->input.file_name, out);
    fprintf(out, "kind         %s, %s\n", info->kind, info->stored_type);
    fprintf(out, "recognised   %s: %s\n", info->certainty, info->evidence);
    fprintf(out, "shape        %" PRId64 " angles, %" PRId64 " rows, %" PRId64 " columns\n", info->angle_count,
            info->row_count, info->column_count);
    print_warnings(report, SINO_INFO_OF_FILE, out);
    print_angles(report, out);
    if (sino_job_is_cone(report->settings)) print_cone(report, out);
    for (SinoInfoField field = 0; field < (has_counts(report) ? SINO_INFO_FIELDS : SINO_INFO_FLATS); field++)
        print_field(report, field, out);
    if (report->findings.reverse_percent > 0)
        fprintf(out,
                "beam         as the settings say: a ray and its reverse differ by %.2g %% of the standard deviation, "
                "about column %.2f\n",
                report->findings.reverse_percent, report->findings.reverse_axis);
    print_findings(&report->findings, out);
    print_stages(report->input, out);
    print_memory(report, out);
}

static void json_of_field(SinoJson *json, const char *name, const SinoSurvey *seen, int64_t images)
{
    sino_json_open(json, name);
    sino_json_integer(json, "images", images);
    sino_json_integer(json, "images_read", seen->images);
    if (seen->count > 0) {
        sino_json_real(json, "least", seen->least);
        sino_json_real(json, "most", seen->most);
        sino_json_real(json, "mean", mean_of(seen));
    }
    sino_json_integer(json, "values", seen->count + seen->not_finite);
    sino_json_integer(json, "zero_values", seen->zero);
    sino_json_integer(json, "saturated_values", seen->saturated);
    sino_json_integer(json, "not_finite_values", seen->not_finite);
    sino_json_close(json);
}

static void json_of_angles(SinoJson *json, const SinoInfoReport *report)
{
    const double unit = sino_input_lacks_angles(report->input) ? NAN : degrees;
    sino_json_open(json, "angles");
    sino_json_real(json, "least_degrees", report->least_rad * unit);
    sino_json_real(json, "most_degrees", report->most_rad * unit);
    sino_json_real(json, "least_step_degrees", report->least_step_rad * unit);
    sino_json_real(json, "most_step_degrees", report->most_step_rad * unit);
    sino_json_integer(json, "repeated", report->repeated_angles);
    sino_json_flag(json, "assumed", report->input->info->angle_assumed);
    sino_json_integer(json, "projections_in_file", report->input->info->file_angle_count);
    sino_json_integer(json, "averaged", report->input->info->angle_binning);
    sino_json_close(json);
}

static void json_of_length(SinoJson *json, const char *name, double mm)
{
    sino_json_real(json, name, mm > 0 ? mm : NAN);
}

static void json_of_geometry(SinoJson *json, const SinoInfoReport *report)
{
    const SinoScanSetup *setup = &report->setup;
    const bool is_cone = sino_job_is_cone(report->settings);
    sino_json_open(json, "geometry");
    sino_json_text(json, "kind", sino_geometry_name(report->settings->geometry.kind));
    if (is_cone) {
        json_of_length(json, "source_object_mm", setup->source_object);
        json_of_length(json, "source_detector_mm", setup->source_detector);
        json_of_length(json, "pixel_width_mm", setup->pixel_width);
        json_of_length(json, "pixel_height_mm", setup->pixel_height);
    }
    if (report->cone_known) sino_json_real(json, "voxel_mm", report->cone.voxel_size);
    if (report->arc.length_rad > 0) {
        sino_json_real(json, "fan_degrees", report->arc.fan_rad * degrees);
        sino_json_text(json, "arc", arc_name(report->arc.kind));
        sino_json_real(json, "arc_degrees", report->arc.length_rad * degrees);
    }
    sino_json_close(json);
}

static void json_of_stages(SinoJson *json, const SinoInput *input)
{
    sino_json_open_list(json, "stages");
    const SinoStageKind *kind;
    for (int64_t i = 0; (kind = sino_stage_at(input, i)); i++) {
        char details[160];
        if (!kind->wanted(input)) continue;
        kind->describe(input, sizeof details, details);
        sino_json_open(json, NULL);
        sino_json_text(json, "name", kind->name);
        sino_json_text(json, "details", details);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

/* All but those that only tell what recon does. */
static void json_of_findings(SinoJson *json, const SinoFindings *findings, bool refused)
{
    for (int64_t i = 0; i < findings->count; i++)
        if (findings->finding[i].refused == refused && !findings->finding[i].harmless)
            sino_json_text(json, NULL, findings->finding[i].text);
}

/* The axis of a half acquisition, as a column of the file: it decides the size of the slice. */
static void json_of_slice(SinoJson *json, const SinoInput *input)
{
    const double center = input->geometry.center;
    sino_json_open(json, "slice");
    sino_json_integer(json, "side", sino_geometry_slice_side(&input->geometry));
    sino_json_integer(json, "margin", input->geometry.margin);
    sino_json_flag(json, "half_acquisition", center >= 0);
    if (center >= 0) sino_json_real(json, "rotation_axis", sino_input_column_of_file(input, center));
    sino_json_close(json);
}

void sino_info_report_json(const SinoInfoReport *report, FILE *out)
{
    const SinoScanInfo *info = report->input->info;
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    sino_json_text(&json, "file", report->settings->input.file_name);
    sino_json_text(&json, "format", info->kind);
    sino_json_open(&json, "recognised");
    sino_json_text(&json, "certainty", info->certainty);
    sino_json_text(&json, "evidence", info->evidence);
    sino_json_close(&json);
    sino_json_text(&json, "stored_type", info->stored_type);
    sino_json_open(&json, "scan");
    sino_json_integer(&json, "angles", info->angle_count);
    sino_json_integer(&json, "rows", info->row_count);
    sino_json_integer(&json, "columns", info->column_count);
    sino_json_close(&json);
    if (!sino_job_is_cone(report->settings)) json_of_slice(&json, report->input);
    json_of_angles(&json, report);
    json_of_geometry(&json, report);
    sino_json_flag(&json, "data_are_counts", has_counts(report));
    json_of_field(&json, "data", &report->seen[SINO_INFO_DATA], info->angle_count);
    json_of_field(&json, "flat", &report->seen[SINO_INFO_FLATS], info->flat_count);
    json_of_field(&json, "dark", &report->seen[SINO_INFO_DARKS], info->dark_count);
    json_of_stages(&json, report->input);
    sino_json_open(&json, "memory_bytes");
    if (report->usual_bytes > 0) {
        sino_json_integer(&json, "usual", report->usual_bytes);
        if (report->pass_count > 0)
            sino_json_integer(&json, "voxels", report->voxel_bytes);
        else if (!sino_job_is_cone(report->settings))
            sino_json_integer(&json, "operator", report->operator_bytes);
    }
    if (report->least_bytes > 0) sino_json_integer(&json, "least", report->least_bytes);
    if (report->solution_bytes > 0)
        sino_json_integer(&json,
                          report->settings->solver.algorithm == SINO_ALGORITHM_FISTA ? "least_fista" : "least_cg",
                          report->solution_bytes);
    sino_json_close(&json);
    sino_json_open_list(&json, "warnings");
    for (int64_t i = 0; i < report->warning_count; i++) sino_json_text(&json, NULL, report->warning[i].text);
    json_of_findings(&json, &report->findings, false);
    sino_json_close_list(&json);
    sino_json_open_list(&json, "refusals");
    json_of_findings(&json, &report->findings, true);
    sino_json_close_list(&json);
    sino_json_close(&json);
}
