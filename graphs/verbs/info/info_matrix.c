/* SPDX-License-Identifier: BSD-3-Clause */
/* info of a system matrix, and of counts with their system matrix: what they are, and the memory of a recon. */
#include "info_report.h"

#include "memory.h"
#include "text.h"
#include "unit_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- a matrix by itself ---- */

static void report_matrix(const SinoSettings *settings, const SinoMatrixFile *file)
{
    const SinoMatrixOutline *outline = sino_matrix_outline(file);
    SinoJson json = {.out = stdout};
    if (!settings->output.json) {
        sino_report_line("file", settings->input.file_name, stdout);
        sino_matrix_report_print(sino_matrix_kind(file), outline, stdout);
        return;
    }
    sino_json_open(&json, NULL);
    sino_matrix_report_json(settings->input.file_name, sino_matrix_kind(file), outline, &json);
    sino_json_close(&json);
}

static SinoStatus info_of_matrix(const SinoSettings *settings)
{
    SinoMatrixFile *file;
    SINO_TRY(sino_matrix_open_from(settings->input.file_name, NULL, &file));
    report_matrix(settings, file);
    sino_matrix_close(file);
    return NULL;
}

SinoStatus sino_info_unless_scan(const SinoSettings *settings, SinoStatus refused)
{
    if (sino_status_exit_code(refused) != SINO_BAD_INPUT || settings->input.dataset) return refused;
    SinoStatus status = sino_matrix_try(settings->input.file_name);
    if (status && !sino_matrix_probe(settings->input.file_name)) {
        sino_status_free(status);
        return refused;
    }
    sino_status_free(refused);
    return status ? status : info_of_matrix(settings);
}

/* ---- counts with their matrix ---- */

/* What the values of a set are. */
typedef struct Seen {
    double least, most, sum;
    int64_t rows; /* whose counts are not 0 */
} Seen;

typedef struct Report {
    const SinoSettings *settings;
    SinoMatrixInput input;
    Seen *seen;         /* [set]; owned */
    SinoStatus refused; /* recon refuses the counts; owned */
    SinoUnitPlan plan;
    SinoStatus too_large; /* recon has no memory; owned */
    int64_t least_bytes;
} Report;

static Seen look(int64_t count, const float *values)
{
    Seen seen = {.least = INFINITY, .most = -INFINITY};
    for (int64_t i = 0; i < count; i++) {
        seen.least = fmin(seen.least, (double)values[i]);
        seen.most = fmax(seen.most, (double)values[i]);
        seen.sum += (double)values[i];
        seen.rows += values[i] > 0 || values[i] < 0;
    }
    return seen;
}

/* What recon refuses is a finding. Other errors are returned. */
static SinoStatus find(SinoStatus status, SinoStatus *found)
{
    if (sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    *found = status;
    return NULL;
}

static SinoStatus inspect_counts(Report *report)
{
    const SinoMatrixInput *input = &report->input;
    const int64_t rows = input->survey->outline.row_count;
    float *values = NULL;
    SINO_TRY(sino_allocate(input->set_count, sizeof *report->seen, "sets of counts", &report->seen));
    SINO_TRY(sino_allocate(rows, sizeof *values, "counts", &values));
    SinoStatus status = NULL;
    for (int64_t set = 0; set < input->set_count && !status; set++) {
        status = sino_counts_read(input->files.counts, set, 1, values);
        if (!status) report->seen[set] = look(rows, values);
    }
    free(values);
    return find(status, &report->refused);
}

/* The memory of recon with the default settings. */
static SinoStatus plan(Report *report)
{
    SinoMachine machine;
    SINO_TRY(sino_machine_new(report->settings, 0, &machine));
    const SinoUnitPlanRequest request = sino_counts_plan_request(report->settings, &report->input, &machine);
    SINO_TRY(sino_unit_plan_least_bytes(&request, &report->least_bytes));
    return find(sino_unit_plan_new(&request, &report->plan), &report->too_large);
}

static void print_sets(const Report *report)
{
    const int64_t sets = report->input.set_count, rows = report->input.survey->outline.row_count;
    for (int64_t set = 0; set < sets && !report->refused; set++) {
        const Seen *seen = &report->seen[set];
        fprintf(stdout, "counts       %g to %g, %.10g in all, in %" PRId64 " of %" PRId64 " rows", seen->least,
                seen->most, seen->sum, seen->rows, rows);
        if (sets > 1) fprintf(stdout, " (set %" PRId64 " of %" PRId64 ")", set + 1, sets);
        fputc('\n', stdout);
    }
    if (report->refused) sino_report_line("refused", sino_status_text(report->refused), stdout);
}

static void print_memory(const Report *report)
{
    char usual[24], least[24], matrix[24];
    if (report->too_large) {
        sino_report_line("warning", sino_status_text(report->too_large), stdout);
        return;
    }
    fprintf(stdout, "recon        %s with the default settings, at least %s (matrix: %s)\n",
            sino_bytes_text(report->plan.total_bytes, usual), sino_bytes_text(report->least_bytes, least),
            sino_bytes_text(report->plan.bytes.bricks, matrix));
}

static void print_text(const Report *report)
{
    const SinoMatrixSurvey *matrix = report->input.survey;
    const SinoCountsInfo *counts = sino_counts_info(report->input.files.counts);
    sino_counts_report_print(report->settings->input.file_name, counts, stdout);
    print_sets(report);
    if (counts->other_count > 0)
        fprintf(stdout, "left out     %" PRId64 " records that are no events: times, randoms\n", counts->other_count);
    sino_report_line("matrix", report->settings->counts.system_matrix, stdout);
    sino_matrix_report_print(sino_matrix_kind(matrix->file), &matrix->outline, stdout);
    print_memory(report);
}

static void json_of_sets(SinoJson *json, const Report *report)
{
    sino_json_open_list(json, "counts");
    for (int64_t set = 0; set < report->input.set_count && !report->refused; set++) {
        const Seen *seen = &report->seen[set];
        sino_json_open(json, NULL);
        sino_json_real(json, "least", seen->least);
        sino_json_real(json, "most", seen->most);
        sino_json_real(json, "sum", seen->sum);
        sino_json_integer(json, "rows", seen->rows);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_text(SinoJson *json, const char *name, SinoStatus status)
{
    sino_json_open_list(json, name);
    if (status) sino_json_text(json, NULL, sino_status_text(status));
    sino_json_close_list(json);
}

static void print_json(const Report *report)
{
    const SinoMatrixSurvey *matrix = report->input.survey;
    SinoJson json = {.out = stdout};
    sino_json_open(&json, NULL);
    const SinoCountsInfo *counts = sino_counts_info(report->input.files.counts);
    sino_counts_report_json(report->settings->input.file_name, counts, &json);
    sino_json_integer(&json, "other_records", counts->other_count);
    json_of_sets(&json, report);
    sino_matrix_report_json(report->settings->counts.system_matrix, sino_matrix_kind(matrix->file), &matrix->outline,
                            &json);
    sino_json_open(&json, "memory_bytes");
    if (!report->too_large) {
        sino_json_integer(&json, "usual", report->plan.total_bytes);
        sino_json_integer(&json, "matrix", report->plan.bytes.bricks);
    }
    sino_json_integer(&json, "least", report->least_bytes);
    sino_json_close(&json);
    json_of_text(&json, "warnings", report->too_large);
    json_of_text(&json, "refusals", report->refused);
    sino_json_close(&json);
}

static SinoStatus inspect(Report *report, SinoLog *log)
{
    SINO_TRY(sino_matrix_input_open(report->settings, (SinoMatrixShare){.rank_count = 1}, log, &report->input));
    SINO_TRY(inspect_counts(report));
    SINO_TRY(plan(report));
    if (report->settings->output.json)
        print_json(report);
    else
        print_text(report);
    return report->refused ? sino_error_told(SINO_BAD_INPUT) : NULL;
}

SinoStatus sino_info_matrix(const SinoSettings *settings, SinoLog *log)
{
    Report report = {.settings = settings};
    SINO_TRY(sino_matrix_try(settings->counts.system_matrix));
    SinoStatus status = inspect(&report, log);
    sino_matrix_input_close(&report.input);
    sino_status_free(report.refused);
    sino_status_free(report.too_large);
    free(report.seen);
    return status;
}
