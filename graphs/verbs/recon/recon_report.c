/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a run: one page of HTML beside the volume. */
#include "recon_volume.h"

#include "cone_scan.h"
#include "files.h"
#include "memory.h"
#include "page.h"
#include "platform.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 24 };

/* ---- measurements ---- */

void sino_recon_mark(SinoRecon *recon, const char *phase)
{
    SinoReconClock *clock = &recon->clock;
    const double now = sino_platform_now_s();
    if (clock->count < SINO_PHASES) {
        clock->phase[clock->count].name = phase;
        clock->phase[clock->count++].seconds = now - clock->last_s;
    }
    clock->last_s = now;
}

void sino_recon_measure_begin(SinoRecon *recon)
{
    const SinoFileTraffic files = sino_platform_file_traffic();
    recon->clock.last_s = sino_platform_now_s();
    recon->begin.read_bytes = files.read;
    recon->begin.written_bytes = files.written;
    recon->begin.processor_s = sino_platform_processor_s();
}

SinoStatus sino_recon_measure_end(SinoRecon *recon)
{
    SinoReconMeasured *measured = &recon->measured;
    const SinoFileTraffic files = sino_platform_file_traffic();
    int64_t sums[] = {files.read - recon->begin.read_bytes, files.written - recon->begin.written_bytes,
                      sino_runtime_sent_bytes(recon->runtime)};
    measured->peak_bytes = sino_platform_peak_bytes();
    measured->data_bytes = sino_data_most_bytes(recon->runtime);
    measured->processor_s = sino_platform_processor_s() - recon->begin.processor_s;
    SINO_TRY(sino_processes_largest(recon->processes, &measured->peak_bytes));
    SINO_TRY(sino_processes_largest(recon->processes, &measured->data_bytes));
    SINO_TRY(sino_processes_sum_integers(recon->processes, 3, sums));
    measured->read_bytes = sums[0];
    measured->written_bytes = sums[1];
    measured->sent_bytes = sums[2];
    return sino_processes_sum_doubles(recon->processes, 1, &measured->processor_s);
}

/* ---- what was odd, and what was chosen ---- */

static void print_odd(const SinoRecon *recon, FILE *out)
{
    const SinoLogLine *line;
    const int64_t count = sino_log_kept(recon->log, &line);
    int64_t warnings = 0;
    for (int64_t i = 0; i < count; i++) warnings += strcmp(line[i].level, "warning") == 0;
    if (warnings == 0) {
        fputs("<div class=\"odd fine\">The run found nothing odd.</div>\n", out);
        return;
    }
    fputs("<div class=\"odd\"><b>What was odd</b><ul>\n", out);
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(line[i].level, "warning") != 0) continue;
        fputs("<li>", out);
        sino_markup_text(line[i].message, out);
        fputs("</li>\n", out);
    }
    fputs("</ul></div>\n", out);
}

static void print_log(const SinoRecon *recon, FILE *out)
{
    const SinoLogLine *line;
    const int64_t count = sino_log_kept(recon->log, &line);
    char time[TEXT];
    sino_page_section("What the run told", out);
    sino_page_table_begin(out);
    for (int64_t i = 0; i < count; i++) {
        snprintf(time, sizeof time, "%.2f s", line[i].time_s);
        sino_page_row(out, time, "%s%s", strcmp(line[i].level, "warning") == 0 ? "warning: " : "", line[i].message);
    }
    sino_page_table_end(out);
}

/* ---- the scan and its volume ---- */

static double degrees(double radians)
{
    return radians * 180 / 3.14159265358979323846;
}

static void print_scan(const SinoRecon *recon, FILE *out)
{
    const SinoInput *input = &recon->input;
    const SinoScanInfo *info = input->info;
    double least = INFINITY, most = -INFINITY;
    sino_page_row(out, "format", "%s (%s), %s", info->kind, info->evidence, info->stored_type);
    sino_page_row(out, "scan",
                  "%" PRId64 " projections of %" PRId64 " × %" PRId64 " pixels, %" PRId64 " flat fields, %" PRId64
                  " dark fields",
                  info->angle_count, info->row_count, info->column_count, info->flat_count, info->dark_count);
    for (int64_t i = 0; i < info->angle_count; i++) {
        least = fmin(least, info->angle_rad[i]);
        most = fmax(most, info->angle_rad[i]);
    }
    sino_page_row(out, "angles", "%.6g° to %.6g°%s", degrees(least), degrees(most),
                  info->angle_assumed ? " (assumed: the file has none)" : "");
    sino_page_row(out, "part of it",
                  "rows %" PRId64 " to %" PRId64 ", columns %" PRId64 " to %" PRId64 ", binning %" PRId64,
                  input->first_row, input->first_row + recon->record.row_count * input->binning - 1,
                  input->first_column, input->first_column + input->column_count - 1, input->binning);
}

/* The lengths and the direction of a cone beam. */
static void print_beam(const SinoRecon *recon, FILE *out)
{
    const SinoGeometrySettings *settings = &recon->settings->geometry;
    const SinoScanSetup setup = sino_cone_setup(settings, recon->input.info);
    const double micrometres_per_mm = 1e3;
    char source[SINO_PAGE_LENGTH], detector[SINO_PAGE_LENGTH], width[SINO_PAGE_LENGTH], height[SINO_PAGE_LENGTH];
    sino_page_row(out, "beam", "%s, magnification %.5g at the axis",
                  sino_job_is_fan(settings) ? "fans, one per detector row" : "a cone",
                  setup.source_detector / setup.source_object);
    sino_page_row(out, "from the source", "%s to the rotation axis, %s to the detector",
                  sino_page_length(setup.source_object * micrometres_per_mm, source),
                  sino_page_length(setup.source_detector * micrometres_per_mm, detector));
    sino_page_row(out, "detector pixel", "%s × %s", sino_page_length(setup.pixel_width * micrometres_per_mm, width),
                  sino_page_length(setup.pixel_height * micrometres_per_mm, height));
    sino_page_row(out, "direction",
                  "the sample turns %s as angles grow, seen from above; at 0° the source is below the "
                  "picture of the slice",
                  recon->input.negated_rad ? "counterclockwise" : "clockwise");
}

/* How the center became known, from the line of the log that told it. */
static void print_center(const SinoRecon *recon, FILE *out)
{
    const SinoLogLine *line;
    const int64_t count = sino_log_kept(recon->log, &line);
    const char *how = isnan(recon->settings->center.rotation_axis) ? "found" : "given", *told = NULL;
    for (int64_t i = 0; i < count; i++)
        if (strcmp(line[i].event, "center") == 0 && strcmp(line[i].level, "info") == 0) told = line[i].message;
    const char *bracket = told ? strchr(told, '(') : NULL;
    char spread[32] = "";
    if (recon->input.center_rows > 0) snprintf(spread, sizeof spread, " ± %.2f", recon->input.center_uncertainty);
    sino_page_row(out, "rotation center", "column %.2f%s of the detector, %s %s",
                  sino_input_column_of_file(&recon->input, recon->input.geometry.center), spread, how,
                  bracket ? bracket : "");
}

static void print_undefined(const SinoRecord *record, FILE *out)
{
    int64_t count = 0;
    const double values = (double)record->row_count * (double)record->angle_count * (double)record->column_count;
    for (int64_t i = 0; i < record->row_count; i++) count += record->repaired[i];
    sino_page_row(out, "undefined values", "%" PRId64 " (%.3g %%)", count,
                  values > 0 ? 100 * (double)count / values : 0);
}

static void print_volume(const SinoRecon *recon, FILE *out)
{
    const SinoVolumeRequest *request = &recon->request;
    const SinoReconFacts facts = recon->kind->facts(recon);
    if (request->hdf5_path) sino_page_row(out, "volume", "%s, /exchange/data", request->hdf5_path);
    if (request->tiff_directory)
        sino_page_row(out, "volume", "%" PRId64 " TIFF files in %s", request->slice_count, request->tiff_directory);
    sino_page_row(out, "size", "%" PRId64 " slices of %" PRId64 " × %" PRId64 " voxels, values in %s",
                  request->slice_count, request->height, request->width, request->units);
    char side[SINO_PAGE_LENGTH], step[SINO_PAGE_LENGTH];
    if (facts.voxel_um > 0 && facts.voxel_um == facts.slice_um)
        sino_page_row(out, "side of a voxel", "%s", sino_page_length(facts.voxel_um, side));
    else if (facts.voxel_um > 0)
        sino_page_row(out, "voxel", "%s wide, %s from slice to slice", sino_page_length(facts.voxel_um, side),
                      sino_page_length(facts.slice_um, step));
}

static void print_method(const SinoRecon *recon, FILE *out)
{
    const SinoSettings *settings = recon->settings;
    const SinoReconFacts facts = recon->kind->facts(recon);
    const int64_t most = facts.most_iterations > 0 ? facts.most_iterations : recon->record.columns - 1;
    char count[2 * TEXT] = "";
    if (facts.least_iterations < facts.most_iterations)
        snprintf(count, sizeof count, ", %" PRId64 "–%" PRId64 " iterations by slice", facts.least_iterations, most);
    else if (most > 0)
        snprintf(count, sizeof count, ", %" PRId64 " iterations", most);
    sino_page_row(out, "algorithm", "%s%s, %s precision", sino_algorithm_name(settings->solver.algorithm), count,
                  sino_precision_name(settings->projection.precision));
}

static void print_summary(const SinoRecon *recon, FILE *out)
{
    sino_page_table_begin(out);
    sino_page_row(out, "input", "%s", recon->settings->input.file_name);
    if (recon->settings->counts.system_matrix)
        sino_page_row(out, "system matrix", "%s", recon->settings->counts.system_matrix);
    if (recon->input.info) print_scan(recon, out);
    if (sino_job_is_cone(recon->settings)) print_beam(recon, out);
    if (*recon->checksum) sino_page_row(out, "checksum of the input", "XXH3 %s", recon->checksum);
    if (recon->kind->find_center) print_center(recon, out);
    if (recon->input.info) print_undefined(&recon->record, out);
    print_method(recon, out);
    print_volume(recon, out);
    sino_recon_half_sets_report(recon, out);
    sino_page_table_end(out);
}

/* ---- plan and time ---- */

static double seconds_of(const SinoReconClock *clock, const char *beginning)
{
    double seconds = 0;
    for (int i = 0; i < clock->count; i++)
        if (strncmp(clock->phase[i].name, beginning, strlen(beginning)) == 0) seconds += clock->phase[i].seconds;
    return seconds;
}

static void print_plan_row(const char *what, const char *planned, const char *measured, FILE *out)
{
    fprintf(out, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", what, planned, measured);
}

static void print_plan(const SinoRecon *recon, FILE *out)
{
    const SinoReconFacts facts = recon->kind->facts(recon);
    const SinoReconMeasured *measured = &recon->measured;
    char planned[TEXT], taken[TEXT], budget[TEXT];
    sino_page_section("Plan and measurement", out);
    fputs("<div class=\"wide\"><table><thead><tr><th></th><th>planned</th><th>measured</th></tr></thead><tbody>\n",
          out);
    print_plan_row("memory of a rank, at most", sino_bytes_text(facts.memory_bytes, planned),
                   sino_bytes_text(measured->peak_bytes, taken), out);
    print_plan_row("data of its tasks, at most", sino_bytes_text(facts.data_bytes, planned),
                   sino_bytes_text(measured->data_bytes, taken), out);
    snprintf(planned, sizeof planned, facts.compute_s > 0 ? "%.3g s" : "–", facts.compute_s);
    snprintf(taken, sizeof taken, "%.3g s", seconds_of(&recon->clock, "slices are"));
    print_plan_row("time of the slices, without center and operator", planned, taken, out);
    fprintf(out,
            "</tbody></table></div>\n<p class=\"small\">The run could use %s of memory for a rank. The planned time "
            "assumes the rates of <i>--machine usual</i>, not those of this machine.</p>\n",
            sino_bytes_text(facts.budget_bytes, budget));
}

static double total_seconds(const SinoReconClock *clock)
{
    double seconds = 0;
    for (int i = 0; i < clock->count; i++) seconds += clock->phase[i].seconds;
    return seconds;
}

static void print_times(const SinoRecon *recon, FILE *out)
{
    const SinoReconClock *clock = &recon->clock;
    const double total = total_seconds(clock);
    sino_page_section("Time", out);
    fputs("<div class=\"wide\"><table class=\"about\"><tbody>\n", out);
    for (int i = 0; i < clock->count; i++)
        fprintf(out,
                "<tr><td>%s</td><td>%.2f s</td><td style=\"width: 40%%\"><span class=\"share\" style=\"width: "
                "%.1f%%\"></span></td></tr>\n",
                clock->phase[i].name, clock->phase[i].seconds, total > 0 ? 100 * clock->phase[i].seconds / total : 0);
    fprintf(out, "<tr><td><b>together</b></td><td><b>%.2f s</b></td><td>%.1f cores were busy in the mean</td></tr>\n",
            total, total > 0 ? recon->measured.processor_s / total : 0);
    sino_page_table_end(out);
}

static void print_traffic(const SinoRecon *recon, FILE *out)
{
    const SinoReconMeasured *measured = &recon->measured;
    char text[TEXT];
    sino_page_section("Traffic", out);
    sino_page_table_begin(out);
    sino_page_row(
        out, "read from files", "%s (by system calls%s)", sino_bytes_text(measured->read_bytes, text),
        *recon->checksum && !recon->settings->input.follow ? "; the input is read a second time for its checksum" : "");
    sino_page_row(out, "written to files", "%s", sino_bytes_text(measured->written_bytes, text));
    if (sino_processes_count(recon->processes) > 1)
        sino_page_row(out, "between ranks", "%s", sino_bytes_text(measured->sent_bytes, text));
    sino_page_table_end(out);
}

static void print_machine(const SinoRecon *recon, FILE *out)
{
    char host[256] = "", processor[SINO_PROCESSOR_SIZE], starpu[32];
    const SinoRuntime *runtime = recon->runtime;
    const int64_t ranks = sino_processes_count(recon->processes);
    (void)gethostname(host, sizeof host - 1);
    sino_page_section("Machine", out);
    sino_page_table_begin(out);
    sino_page_row(out, "computer", "%s", host);
    sino_page_row(out, "processor", "%s", sino_platform_processor(processor));
    sino_page_row(out, "computed on", "cores: %" PRId64 ", devices: %" PRId64 "%s", sino_runtime_worker_count(runtime),
                  sino_runtime_device_count(runtime), ranks > 1 ? ", of each rank" : "");
    if (ranks > 1) sino_page_row(out, "ranks", "%" PRId64, ranks);
    sino_page_row(out, "StarPU", "%s, scheduler %s", sino_runtime_starpu_version(starpu),
                  sino_runtime_scheduler(runtime));
    sino_page_row(out, "sinodag", "%s", sino_version_text());
    sino_page_table_end(out);
}

/* ---- settings ---- */

/* What the plan of the run has chosen. */
static SinoStatus print_choices(const SinoRecon *recon, FILE *out)
{
    char *lines = NULL;
    size_t size;
    if (!recon->kind->print_plan) return NULL;
    FILE *memory = open_memstream(&lines, &size);
    SINO_CHECK(memory, SINO_FAILED, "no memory for a report");
    recon->kind->print_plan(recon, memory);
    SinoStatus status = fclose(memory) == 0 ? NULL : sino_error(SINO_FAILED, "no memory for a report");
    if (!status) {
        fputs("<p>Chosen by sinodag:</p>\n", out);
        sino_page_table_begin(out);
        sino_page_lines(lines, out);
        sino_page_table_end(out);
    }
    free(lines);
    return status;
}

static void print_all_settings(const char *line, FILE *out)
{
    fputs("<details><summary>All settings in force, as <i>--config</i> reads them</summary>\n<pre>", out);
    while (*line) { /* line ends are no text */
        const size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        sino_markup_text(copy ? copy : "", out);
        free(copy);
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
    fputs("</pre></details>\n", out);
}

static SinoStatus print_settings(const SinoRecon *recon, FILE *out)
{
    char *given = NULL, *all = NULL;
    SinoStatus status = sino_settings_changed_text(recon->settings, SINO_VERB_RECON, &given);
    if (!status) status = sino_settings_text(recon->settings, SINO_VERB_RECON, &all);
    if (!status) {
        sino_page_section("Settings", out);
        fputs("<p>Given:</p>\n", out);
        sino_page_table_begin(out);
        sino_page_lines(given, out);
        sino_page_table_end(out);
        status = print_choices(recon, out);
        print_all_settings(all, out);
    }
    free(given);
    free(all);
    return status;
}

/* ---- the page ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static SinoStatus print_page(const void *of, FILE *out)
{
    const SinoRecon *recon = of;
    char when[40] = "", host[256] = "";
    const time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local)) (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    (void)gethostname(host, sizeof host - 1);
    sino_page_begin(base_name(recon->settings->output.path), base_name(recon->settings->output.path), out);
    fputs("<p class=\"small\">reconstructed from ", out);
    sino_markup_text(recon->settings->input.file_name, out);
    fprintf(out, " by sinodag %s, %s, ", sino_version_text(), when);
    sino_markup_text(host, out);
    fputs("</p>\n", out);
    print_odd(recon, out);
    fputs("<div class=\"sides\">\n<div>\n", out);
    SINO_TRY(sino_recon_report_slice(recon, out));
    print_summary(recon, out);
    fputs("</div>\n<div>\n", out);
    SINO_TRY(sino_recon_report_pictures(recon, out));
    fputs("</div>\n</div>\n", out);
    SINO_TRY(sino_recon_report_curves(recon, out));
    SINO_TRY(print_settings(recon, out));
    print_log(recon, out);
    print_plan(recon, out);
    print_times(recon, out);
    print_traffic(recon, out);
    print_machine(recon, out);
    sino_page_end(out);
    return NULL;
}

SinoStatus sino_recon_report(SinoRecon *recon)
{
    const char *path = recon->names.report;
    SinoOutputFile *file = NULL;
    if (!path) return NULL;
    SINO_TRY(sino_output_open(path, recon->settings->output.overwrite, &file));
    SINO_TRY(sino_output_print(file, print_page, recon));
    sino_log_info(recon->log, "output", "report: %s", path);
    return NULL;
}
