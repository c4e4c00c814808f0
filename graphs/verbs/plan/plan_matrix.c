/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of counts with a system matrix: its memory, and its time on this machine's cores. */
#include "amounts.h"
#include "matrix_plan.h"
#include "matrix_report.h"
#include "memory.h"
#include "plan_report.h"

#include <inttypes.h>

typedef struct Report {
    const SinoSettings *settings;
    const SinoMatrixInput *input;
    SinoMatrixPlanRequest request;
    SinoMatrixPlan plan;
    SinoMatrixTimes times;
} Report;

static double bytes_per_nonzero(const Report *report)
{
    return report->input->survey->bytes_per_nonzero[report->settings->precision == SINO_MIXED];
}

static SinoAmounts list_bytes(const Report *report)
{
    const SinoMatrixSolutionBytes *bytes = &report->plan.bytes;
    const int64_t rest = report->plan.total_bytes - bytes->total; /* program and record */
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         7,
                         {{"base", "program, pictures", (double)rest},
                          {"matrix", "matrix", (double)bytes->bricks},
                          {"orders", "orders of voxels, rows", (double)bytes->orders},
                          {"building", "matrix being packed", (double)bytes->building},
                          {"vectors", "counts, images, vectors", (double)bytes->vectors},
                          {"images", "images to be stored", (double)bytes->images},
                          {"total", "total", (double)report->plan.total_bytes}}};
}

static SinoAmounts list_times(const Report *report)
{
    const SinoMatrixTimes *times = &report->times;
    return (SinoAmounts){"seconds",
                         SINO_AMOUNT_SECONDS,
                         9,
                         {{"load", "load and pack the matrix", times->load},
                          {"start", "before the iterations", times->start},
                          {"read", "matrix read, an iteration", times->read},
                          {"products", "products of an iteration", times->products},
                          {"vectors", "vectors of an iteration", times->vectors},
                          {"exchange", "sums over ranks, an iteration", times->exchange},
                          {"iteration", "an iteration", times->iteration},
                          {"store", "store", times->store},
                          {"run", "run", times->run}}};
}

static void print_text(const Report *report, FILE *out)
{
    const SinoSettings *settings = report->settings;
    const SinoMatrixSurvey *matrix = report->input->survey;
    const SinoMachine *machine = &report->request.machine;
    const SinoMatrixRates rates = sino_matrix_rates(settings->precision);
    char text[24];
    const SinoAmounts bytes = list_bytes(report), times = list_times(report);
    sino_counts_report_print(settings->file_name, sino_counts_info(report->input->files.counts), out);
    sino_report_line("matrix", settings->system_matrix, out);
    sino_matrix_report_print(sino_matrix_kind(matrix->file), &matrix->outline, out);
    fprintf(out, "algorithm    %s, iterations: %" PRId64 ", subsets: %" PRId64 "\n",
            sino_algorithm_name(settings->algorithm), settings->iterations, matrix->subset_count);
    fprintf(out, "division     row partitions: %" PRId64 "; sets solved together: %" PRId64 " of %" PRId64 "\n",
            matrix->all_partitions, report->plan.batch_sets, report->input->set_count);
    if (settings->ranks > 1)
        fprintf(out, "ranks        %" PRId64 ", of which rank %" PRId64 " has %" PRId64 " nonzeros\n", settings->ranks,
                matrix->request.rank, matrix->nonzero_count);
    fprintf(out, "stored       %s, %.2f bytes per nonzero (estimated from some rows)\n",
            sino_precision_name(settings->precision), bytes_per_nonzero(report));
    if (matrix->mirrors)
        fprintf(out, "folded       each nonzero stands for %" PRId64 " mirrored images, %.2f bytes for each of these\n",
                matrix->orientation_count, bytes_per_nonzero(report) / (double)matrix->orientation_count);
    fprintf(out, "\nmemory%s, of %s\n", settings->ranks > 1 ? " of a rank" : "",
            sino_bytes_text(report->plan.budget_bytes, text));
    sino_amounts_print(&bytes, out);
    fprintf(out, "\ntime of the run\n");
    sino_amounts_print(&times, out);
    fprintf(out,
            "\nassumed      workers: %" PRId64 "; per worker: memory %g GB/s, %g ns for a nonzero and %g for each set "
            "of it,\n             %g 10^9 nonzeros packed per second; files: %g GB/s",
            machine->worker_count, machine->rates.memory_gbps, rates.nonzero_ns, rates.set_ns, rates.pack_gnnz,
            machine->rates.file_gbps);
    if (settings->ranks > 1)
        fprintf(out, "; between ranks: %g GB/s, %g us a message", machine->rates.link_gbps,
                machine->rates.link_latency_us);
    fputc('\n', out);
}

static void print_json(const Report *report, FILE *out)
{
    const SinoSettings *settings = report->settings;
    const SinoMatrixSurvey *matrix = report->input->survey;
    const SinoAmounts bytes = list_bytes(report), times = list_times(report);
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    sino_counts_report_json(settings->file_name, sino_counts_info(report->input->files.counts), &json);
    sino_matrix_report_json(settings->system_matrix, sino_matrix_kind(matrix->file), &matrix->outline, &json);
    sino_json_text(&json, "algorithm", sino_algorithm_name(settings->algorithm));
    sino_json_integer(&json, "iterations", settings->iterations);
    sino_json_integer(&json, "subsets", matrix->subset_count);
    sino_json_integer(&json, "row_partitions", matrix->all_partitions);
    sino_json_integer(&json, "ranks", settings->ranks);
    sino_json_integer(&json, "nonzeros_of_a_rank", matrix->nonzero_count);
    sino_json_integer(&json, "sets_together", report->plan.batch_sets);
    sino_json_real(&json, "bytes_per_nonzero", bytes_per_nonzero(report));
    sino_json_integer(&json, "orientations", matrix->orientation_count);
    sino_json_integer(&json, "budget_bytes", report->plan.budget_bytes);
    sino_amounts_json(&bytes, &json);
    sino_amounts_json(&times, &json);
    sino_json_close(&json);
}

static SinoStatus print_plan(const SinoSettings *settings, const SinoMatrixInput *input)
{
    SinoMachine machine;
    Report report = {.settings = settings, .input = input};
    SINO_TRY(sino_machine_new(settings, 0, &machine));
    report.request = sino_matrix_plan_request(settings, input, &machine);
    SINO_TRY(sino_matrix_plan_new(&report.request, &report.plan));
    report.times = sino_matrix_times(&report.request, &report.plan, settings->iterations);
    if (settings->json)
        print_json(&report, stdout);
    else
        print_text(&report, stdout);
    return NULL;
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
    const SinoMatrixShare share = {.rank = fastest_rank(&settings->node_weights), .rank_count = settings->ranks};
    SINO_TRY(sino_matrix_try(settings->system_matrix));
    SinoStatus status = sino_matrix_input_open(settings, share, log, &input);
    if (!status) status = print_plan(settings, &input);
    sino_matrix_input_close(&input);
    return status;
}
