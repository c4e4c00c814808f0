/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of counts with a system matrix: its memory, and its time on this machine's cores. */
#include "info_report.h"
#include "plan_report.h"

#include <inttypes.h>

static double bytes_per_nonzero(const SinoUnitReport *report)
{
    const SinoMatrixInput *input = report->of;
    return input->survey->bytes_per_nonzero[report->settings->projection.precision == SINO_MIXED];
}

static void print_head(const SinoUnitReport *report, FILE *out)
{
    const SinoSettings *settings = report->settings;
    const SinoMatrixInput *input = report->of;
    const SinoMatrixSurvey *matrix = input->survey;
    sino_counts_report_print(settings->input.file_name, sino_counts_info(input->files.counts), out);
    sino_report_line("matrix", settings->counts.system_matrix, out);
    sino_matrix_report_print(sino_matrix_kind(matrix->file), &matrix->outline, out);
    fprintf(out, "algorithm    %s, iterations: %" PRId64 ", subsets: %" PRId64 "\n",
            sino_algorithm_name(settings->solver.algorithm), sino_settings_iterations(&settings->solver),
            matrix->subset_count);
    fprintf(out, "division     row partitions: %" PRId64 "; sets solved together: %" PRId64 " of %" PRId64 "\n",
            matrix->all_partitions, report->plan.batch_units, input->set_count);
    if (settings->plan.ranks > 1)
        fprintf(out, "ranks        %" PRId64 ", of which rank %" PRId64 " has %" PRId64 " nonzeros\n",
                settings->plan.ranks, matrix->request.rank, matrix->nonzero_count);
    fprintf(out, "stored       %s, %.2f bytes per nonzero (estimated from some rows)\n",
            sino_precision_name(settings->projection.precision), bytes_per_nonzero(report));
    if (matrix->mirrors)
        fprintf(out, "folded       each nonzero stands for %" PRId64 " mirrored images, %.2f bytes for each of these\n",
                matrix->orientation_count, bytes_per_nonzero(report) / (double)matrix->orientation_count);
}

static void print_assumed(const SinoUnitReport *report, FILE *out)
{
    const SinoMachine *machine = &report->request.machine;
    const SinoMatrixRates rates = sino_matrix_rates(report->settings->projection.precision);
    fprintf(out,
            "\nassumed      workers: %" PRId64 "; per worker: memory %g GB/s, %g ns for a nonzero and %g for each set "
            "of it,\n             %g 10^9 nonzeros packed per second",
            machine->worker_count, machine->rates.memory_gbps, rates.nonzero_ns, rates.set_ns, rates.pack_gnnz);
}

static void json_head(const SinoUnitReport *report, SinoJson *json)
{
    const SinoSettings *settings = report->settings;
    const SinoMatrixInput *input = report->of;
    const SinoMatrixSurvey *matrix = input->survey;
    sino_counts_report_json(settings->input.file_name, sino_counts_info(input->files.counts), json);
    sino_matrix_report_json(settings->counts.system_matrix, sino_matrix_kind(matrix->file), &matrix->outline, json);
    sino_json_text(json, "algorithm", sino_algorithm_name(settings->solver.algorithm));
    sino_json_integer(json, "iterations", sino_settings_iterations(&settings->solver));
    sino_json_integer(json, "subsets", matrix->subset_count);
    sino_json_integer(json, "row_partitions", matrix->all_partitions);
    sino_json_integer(json, "ranks", settings->plan.ranks);
    sino_json_integer(json, "nonzeros_of_a_rank", matrix->nonzero_count);
    sino_json_integer(json, "sets_together", report->plan.batch_units);
    sino_json_real(json, "bytes_per_nonzero", bytes_per_nonzero(report));
    sino_json_integer(json, "orientations", matrix->orientation_count);
}

static SinoStatus print_plan(const SinoSettings *settings, const SinoMatrixInput *input)
{
    SinoMachine machine;
    SINO_TRY(sino_machine_new(settings, 0, &machine));
    SinoUnitReport report = {.settings = settings,
                             .of = input,
                             .request = sino_counts_plan_request(settings, input, &machine),
                             .print_head = print_head,
                             .json_head = json_head,
                             .print_assumed = print_assumed};
    return sino_plan_units(&report);
}

/* The rank that has most rows. */
static int64_t fastest_rank(const SinoWeightList *weights)
{
    int64_t fastest = 0;
    for (int64_t rank = 1; rank < weights->count; rank++)
        if (weights->value[rank] > weights->value[fastest]) fastest = rank;
    return fastest;
}

SinoStatus sino_plan_matrix(const SinoSettings *settings, SinoLog *log)
{
    SinoMatrixInput input = {0};
    const SinoMatrixShare share = {.rank = fastest_rank(&settings->team.node_weights),
                                   .rank_count = settings->plan.ranks};
    SINO_TRY(sino_matrix_try(settings->counts.system_matrix));
    SinoStatus status = sino_matrix_input_open(settings, share, log, &input);
    if (!status) status = print_plan(settings, &input);
    sino_matrix_input_close(&input);
    return status;
}
