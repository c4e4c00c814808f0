/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan of units that are in memory as a whole, as a table for people and as JSON. */
#include "plan_report.h"

#include "memory.h"

static void print_text(const SinoUnitReport *report, const SinoAmounts *bytes, const SinoAmounts *times, FILE *out)
{
    const SinoRates *rates = &report->request.machine.rates;
    char text[24];
    report->print_head(report, out);
    fprintf(out, "\nmemory%s, of %s\n", report->settings->plan.ranks > 1 ? " of a rank" : "",
            sino_bytes_text(report->plan.budget_bytes, text));
    sino_amounts_print(bytes, out);
    fprintf(out, "\ntime of the run\n");
    sino_amounts_print(times, out);
    report->print_assumed(report, out);
    fprintf(out, ";\n             files: %g GB/s", rates->file_gbps);
    if (report->settings->plan.ranks > 1)
        fprintf(out, "; between ranks: %g GB/s, %g us a message", rates->link_gbps, rates->link_latency_us);
    fputc('\n', out);
}

static void print_json(const SinoUnitReport *report, const SinoAmounts *bytes, const SinoAmounts *times, FILE *out)
{
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    report->json_head(report, &json);
    sino_json_integer(&json, "budget_bytes", report->plan.budget_bytes);
    sino_amounts_json(bytes, &json);
    sino_amounts_json(times, &json);
    sino_json_close(&json);
}

SinoStatus sino_plan_units(SinoUnitReport *report)
{
    const SinoUnitPlanKind *kind = report->request.kind;
    SINO_TRY(sino_unit_plan_new(&report->request, &report->plan));
    const SinoUnitTimes taken =
        sino_unit_plan_times(&report->request, &report->plan, sino_settings_iterations(&report->settings->solver));
    const SinoSlurmJob job = {&report->request.machine, report->request.machine.worker_count, report->plan.total_bytes,
                              taken.run};
    if (report->settings->plan.slurm) return sino_plan_slurm(report->settings, &job, stdout);
    const SinoAmounts bytes = kind->list_bytes(&report->plan), times = sino_unit_list_times(kind, &taken);
    (report->settings->output.json ? print_json : print_text)(report, &bytes, &times, stdout);
    return NULL;
}
