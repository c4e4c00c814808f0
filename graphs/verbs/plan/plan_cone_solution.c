/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of a cone beam by an iterative algorithm: its memory, and its time on the cores of a machine. */
#include "plan_cone_solution.h"

#include "amounts.h"
#include "cone_model_report.h"
#include "cone_solution_plan.h"
#include "memory.h"

#include <inttypes.h>

typedef struct Report {
    const SinoSettings *settings;
    const SinoCone *cone;
    bool assumed;
    SinoProblem problem;
    SinoConeSolutionPlanRequest request;
    SinoConeSolutionPlan plan;
    SinoConeSolutionTimes times;
} Report;

static SinoAmounts list_bytes(const Report *report)
{
    const SinoConeSolutionPlan *plan = &report->plan;
    const SinoConeSolutionBytes *bytes = &plan->bytes;
    const int64_t rest = plan->total_bytes - bytes->total - plan->loading_bytes; /* program and record */
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         7,
                         {{"base", "program, pictures", (double)rest},
                          {"vectors", "volume, scan, vectors", (double)bytes->vectors},
                          {"pieces", "counts, sinograms", (double)bytes->pieces},
                          {"images", "images", (double)bytes->images},
                          {"scratch", "work memory of tasks", (double)bytes->scratch},
                          {"loading", "fields being averaged", (double)plan->loading_bytes},
                          {"total", "total", (double)plan->total_bytes}}};
}

static SinoAmounts list_times(const Report *report)
{
    const SinoConeSolutionTimes *times = &report->times;
    return (SinoAmounts){"seconds",
                         SINO_AMOUNT_SECONDS,
                         7,
                         {{"load", "load", times->load},
                          {"start", "before the iterations", times->start},
                          {"products", "products of an iteration", times->products},
                          {"vectors", "vectors of an iteration", times->vectors},
                          {"iteration", "an iteration", times->iteration},
                          {"store", "store", times->store},
                          {"run", "run", times->run}}};
}

static void print_text(const Report *report, FILE *out)
{
    const SinoConeProductRates rates = sino_cone_usual_products;
    const SinoRates *machine = &report->request.machine.rates;
    char text[24];
    const SinoAmounts bytes = list_bytes(report), times = list_times(report);
    sino_cone_print_scan(report->cone, report->assumed, out);
    fprintf(out, "algorithm    %s, iterations: %" PRId64 "; volume and scan are in memory as a whole\n",
            sino_algorithm_name(report->settings->algorithm), report->settings->iterations);
    fprintf(out, "\nmemory, of %s\n", sino_bytes_text(report->plan.budget_bytes, text));
    sino_amounts_print(&bytes, out);
    fprintf(out, "\ntime of the run\n");
    sino_amounts_print(&times, out);
    fprintf(out,
            "\nassumed      workers: %" PRId64
            "; per worker: project %g, backproject %g 10^9 updates per second, memory "
            "%g GB/s;\n             files: %g GB/s\n",
            report->request.machine.worker_count, rates.project_gups, rates.backproject_gups, machine->memory_gbps,
            machine->file_gbps);
}

static void print_json(const Report *report, FILE *out)
{
    const SinoAmounts bytes = list_bytes(report), times = list_times(report);
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    sino_cone_json_scan(&json, report->cone, report->assumed);
    sino_json_text(&json, "algorithm", sino_algorithm_name(report->settings->algorithm));
    sino_json_integer(&json, "iterations", report->settings->iterations);
    sino_json_integer(&json, "budget_bytes", report->plan.budget_bytes);
    sino_amounts_json(&bytes, &json);
    sino_amounts_json(&times, &json);
    sino_json_close(&json);
}

SinoStatus sino_plan_cone_solution(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                   bool assumed)
{
    SinoMachine machine;
    Report report = {.settings = settings, .cone = cone, .assumed = assumed};
    SINO_TRY(sino_machine_new(settings, 0, &machine));
    SINO_TRY(sino_cone_solution_problem(settings, input, cone, settings->ranks, &report.problem));
    report.request = sino_cone_solution_plan_request(settings, input, &report.problem, &machine);
    SINO_TRY(sino_cone_solution_plan_new(&report.request, &report.plan));
    report.times = sino_cone_solution_times(&report.request, &report.plan, settings->iterations);
    if (settings->json)
        print_json(&report, stdout);
    else
        print_text(&report, stdout);
    return NULL;
}
