/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate, report: a simulation as a table for people, and as JSON for programs. */
#include "simulate.h"

#include "device.h"
#include "memory.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

static const char *device_name(unsigned device)
{
    return device == SINO_DEVICE_CPU ? "cpu" : device == SINO_DEVICE_OPENCL ? "opencl" : "cuda";
}

/* Share of the workers' time that they spend in tasks, of one rank or of all. */
static double inside_tasks(const SinoSimulateReport *report, const SinoSimulationCounts *counts)
{
    const double available = report->all.run_s * (double)counts->worker_count;
    return available > 0 ? counts->task_s / available : 0;
}

static void print_head(const SinoSimulateReport *report, FILE *out)
{
    const SinoMachineFile *machine = report->machine;
    char device[24];
    fprintf(out, "machine      %s: %" PRId64 " cores", machine->name, report->all.counts.core_count);
    if (report->all.counts.device_count > 0)
        fprintf(out, ", %" PRId64 " devices with %s each", report->all.counts.device_count,
                sino_bytes_text(machine->device_bytes, device));
    if (report->rank_count > 1)
        fprintf(out, "; %" PRId64 " ranks, %" PRId64 " on a node", report->rank_count, report->ranks_per_node);
    fprintf(out, "; policy %s\n", report->scheduler);
    for (int i = 0; i < report->sizes.count; i++) {
        sino_amounts_print_numbers(&report->sizes.of[i], out);
        fputc('\n', out);
    }
    fprintf(out, "algorithm    %s, %s\n", report->algorithm, report->precision);
}

/* How the ranks share the work. */
static void print_team(const SinoSimulateReport *report, FILE *out)
{
    if (report->rank_count == 1) return;
    if (report->sizes.team.count > 0) {
        sino_amounts_print_numbers(&report->sizes.team, out);
        fprintf(out, "; sums %s\n", report->communication);
    }
    fprintf(out, "network      %g GB/s and %g us to each other node, in each direction\n",
            report->machine->network.gbps, report->machine->network.latency_us);
}

static double bound_s(const SinoSimulationCounts *counts)
{
    return fmax(counts->bounds.area_s, counts->bounds.path_s);
}

/* How a scan that is followed came, and how far behind it the tasks were. */
static void print_arrival(const SinoSimulateReport *report, FILE *out)
{
    const SinoLateness *late = &report->all.counts.lateness;
    if (late->count == 0) return;
    fprintf(out, "arrival      %g projections a second, the last one after %.4g s; the volume is complete %.4g s later",
            report->arrival_per_s, late->last_s, report->all.run_s - late->last_s);
    fprintf(out, ", at best %.4g s\n", fmax(0, bound_s(&report->all.counts) - late->last_s));
    if (late->count == 1) return;
    fprintf(out, "lateness     %.4g s on average, %.4g s at most, of %" PRId64 " blocks before the last one; the run ",
            late->mean_s, late->most_s, late->count - 1);
    if (late->keeps_up)
        fputs("keeps up\n", out);
    else
        fprintf(out, "falls behind, by %.4g s each second\n", late->growth);
}

static void print_times(const SinoSimulateReport *report, FILE *out)
{
    const SinoSimulationCounts *counts = &report->all.counts;
    char text[SINO_DURATION_SIZE];
    fprintf(out, "\nmakespan     %s", sino_duration_text(report->all.run_s, text));
    fprintf(out, ", of which building the operator %s\n", sino_duration_text(report->all.building_s, text));
    fprintf(out, "bound        %.4g s: area %.4g s, critical path %.4g s\n", bound_s(counts), counts->bounds.area_s,
            counts->bounds.path_s);
    print_arrival(report, out);
    fprintf(out, "inside tasks %.1f %% of the time of %" PRId64 " workers", 100 * inside_tasks(report, counts),
            counts->worker_count);
    if (counts->between_s > 0)
        fprintf(out, "; StarPU takes %.1f us between tasks", 1e6 * counts->between_s / (double)counts->task_count);
    fputc('\n', out);
    fprintf(out, "times of     %" PRId64 " tasks:", counts->task_count);
    for (int s = 0; s < SINO_COST_SOURCES; s++)
        fprintf(out, "%s %" PRId64 " %s", s > 0 ? "," : "", counts->by_source[s], sino_cost_source_name(s));
    fprintf(out, "; expected error %.0f %%\n", 100 * counts->error);
}

static void print_messages(const SinoSimulateReport *report, FILE *out)
{
    const SinoSimulatedMessages *messages = &report->all.counts.messages;
    char bytes[24];
    if (report->rank_count == 1) return;
    fprintf(out, "messages     %" PRId64 " between ranks, %s", messages->count,
            sino_bytes_text(messages->bytes, bytes));
    if (messages->count > 0)
        fprintf(out, ", %.3f ms each on average", 1e3 * messages->seconds / (double)messages->count);
    fputc('\n', out);
}

static void print_ranks(const SinoSimulateReport *report, FILE *out)
{
    if (report->rank_count == 1) return;
    fprintf(out, "\n  %-6s %-6s %8s %12s %10s %10s %12s %12s %12s\n", "rank", "node", "tasks", "inside tasks",
            "ends at s", "messages", "bytes sent", "ms each", "data");
    for (int64_t r = 0; r < report->rank_count; r++) {
        const SinoSimulationCounts *counts = &report->rank[r].counts;
        const SinoSimulatedMessages *messages = &counts->messages;
        char sent[24], data[24];
        fprintf(out, "  %-6" PRId64 " %-6" PRId64 " %8" PRId64 " %10.1f %% %10.3f %10" PRId64 " %12s %12.3f %12s\n", r,
                r / report->ranks_per_node, counts->task_count, 100 * inside_tasks(report, counts), counts->makespan_s,
                messages->count, sino_bytes_text(messages->bytes, sent),
                messages->count > 0 ? 1e3 * messages->seconds / (double)messages->count : 0,
                sino_bytes_text(counts->node[0].most_bytes, data));
    }
}

static void print_kinds(const SinoSimulateReport *report, FILE *out)
{
    const SinoSimulationCounts *counts = &report->all.counts;
    fprintf(out, "\n  %-20s %-5s %10s %12s %12s %9s\n", "task", "on", "tasks", "seconds", "ms each", "of time");
    for (int64_t i = 0; i < counts->kind_count; i++) {
        const SinoSimulatedKind *kind = &counts->kind[i];
        fprintf(out, "  %-20s %-5s %10" PRId64 " %12.3f %12.3f %7.1f %%\n", kind->name, device_name(kind->device),
                kind->count, kind->seconds, 1e3 * kind->seconds / (double)kind->count,
                100 * kind->seconds / (report->all.run_s * (double)counts->worker_count));
    }
}

static void print_bytes(const SinoSimulateReport *report, FILE *out)
{
    const SinoSimulationCounts *counts = &report->all.counts;
    char bytes[24], lists[24];
    fprintf(out, "\nmemory       %sdata of slices %s at most, operator %s", report->rank_count > 1 ? "of a rank: " : "",
            sino_bytes_text(counts->node[0].most_bytes, bytes), sino_bytes_text(report->facts.operator_bytes, lists));
    if (report->facts.lists_bytes > 0)
        fprintf(out, ", lists for devices %s", sino_bytes_text(report->facts.lists_bytes, lists));
    fputc('\n', out);
    for (int64_t n = 1; n < counts->node_count; n++)
        fprintf(out, "  %-24s %12s at most\n", counts->node[n].name,
                sino_bytes_text(counts->node[n].most_bytes, bytes));
    if (counts->link_count > 0) fprintf(out, "transfers%s\n", report->rank_count > 1 ? " of rank 0" : "");
    for (int64_t i = 0; i < counts->link_count; i++) {
        const SinoSimulatedLink *link = &counts->link[i];
        fprintf(out, "  %-10s to %-10s %12s in %" PRId64 "\n", link->from, link->to,
                sino_bytes_text(link->bytes, bytes), link->count);
    }
}

void sino_simulate_print(const SinoSimulateReport *report, FILE *out)
{
    print_head(report, out);
    print_team(report, out);
    for (int i = 0; i < report->assumed_count; i++)
        fprintf(out, "%s %s\n", i == 0 ? "assumed     " : "            ", report->assumed[i]);
    print_times(report, out);
    print_messages(report, out);
    print_ranks(report, out);
    print_kinds(report, out);
    print_bytes(report, out);
    fprintf(out, "\nsimulated in %.2f s\n", report->wall_s);
}

static void json_of_sources(SinoJson *json, const int64_t count[SINO_COST_SOURCES])
{
    sino_json_open(json, "sources");
    for (int s = 0; s < SINO_COST_SOURCES; s++) sino_json_integer(json, sino_cost_source_name(s), count[s]);
    sino_json_close(json);
}

static void json_of_head(SinoJson *json, const SinoSimulateReport *report)
{
    sino_json_open(json, "machine");
    sino_json_text(json, "name", report->machine->name);
    sino_json_integer(json, "cores", report->all.counts.core_count);
    sino_json_integer(json, "devices", report->all.counts.device_count);
    sino_json_close(json);
    sino_json_open_list(json, "starpu_patches");
    for (int i = 0; sino_starpu_patches[i]; i++) sino_json_text(json, NULL, sino_starpu_patches[i]);
    sino_json_close_list(json);
    sino_json_text(json, "scheduler", report->scheduler);
    sino_json_text(json, "algorithm", report->algorithm);
    sino_json_text(json, "precision", report->precision);
    for (int i = 0; i < report->sizes.count; i++) sino_amounts_json(&report->sizes.of[i], json);
}

static void json_of_bounds(SinoJson *json, const SinoSimulateReport *report)
{
    const SinoSimulatedBounds *bounds = &report->all.counts.bounds;
    const SinoLateness *late = &report->all.counts.lateness;
    sino_json_open(json, "bounds");
    sino_json_real(json, "critical_path_s", bounds->path_s);
    sino_json_real(json, "area_s", bounds->area_s);
    sino_json_close(json);
    if (late->count == 0) return;
    sino_json_open(json, "arrival");
    sino_json_real(json, "projections_per_s", report->arrival_per_s);
    sino_json_real(json, "last_s", late->last_s);
    sino_json_real(json, "latency_s", report->all.run_s - late->last_s);
    sino_json_integer(json, "blocks", late->count);
    sino_json_real(json, "mean_lateness_s", late->mean_s);
    sino_json_real(json, "most_lateness_s", late->most_s);
    sino_json_real(json, "growth", late->growth);
    sino_json_flag(json, "keeps_up", late->keeps_up);
    sino_json_close(json);
}

static void json_of_messages(SinoJson *json, const SinoSimulatedMessages *messages)
{
    sino_json_open(json, "messages");
    sino_json_integer(json, "count", messages->count);
    sino_json_integer(json, "bytes", messages->bytes);
    sino_json_real(json, "seconds", messages->seconds);
    sino_json_close(json);
}

static void json_of_team(SinoJson *json, const SinoSimulateReport *report)
{
    sino_json_open(json, "team");
    sino_json_integer(json, "ranks", report->rank_count);
    sino_json_integer(json, "ranks_per_node", report->ranks_per_node);
    sino_amounts_json_members(&report->sizes.team, json);
    sino_json_text(json, "communication", report->communication);
    sino_json_close(json);
}

static void json_of_kinds(SinoJson *json, const SinoSimulationCounts *counts)
{
    sino_json_open_list(json, "kinds");
    for (int64_t i = 0; i < counts->kind_count; i++) {
        const SinoSimulatedKind *kind = &counts->kind[i];
        sino_json_open(json, NULL);
        sino_json_text(json, "name", kind->name);
        sino_json_text(json, "on", device_name(kind->device));
        sino_json_integer(json, "count", kind->count);
        sino_json_real(json, "seconds", kind->seconds);
        json_of_sources(json, kind->by_source);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_memory(SinoJson *json, const SinoSimulationCounts *counts)
{
    sino_json_open_list(json, "memory");
    for (int64_t n = 0; n < counts->node_count; n++) {
        sino_json_open(json, NULL);
        sino_json_text(json, "node", counts->node[n].name);
        sino_json_integer(json, "most_bytes", counts->node[n].most_bytes);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_transfers(SinoJson *json, const SinoSimulationCounts *counts)
{
    sino_json_open_list(json, "transfers");
    for (int64_t i = 0; i < counts->link_count; i++) {
        sino_json_open(json, NULL);
        sino_json_text(json, "from", counts->link[i].from);
        sino_json_text(json, "to", counts->link[i].to);
        sino_json_integer(json, "count", counts->link[i].count);
        sino_json_integer(json, "bytes", counts->link[i].bytes);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_ranks(SinoJson *json, const SinoSimulateReport *report)
{
    sino_json_open_list(json, "ranks");
    for (int64_t r = 0; r < report->rank_count; r++) {
        const SinoSimulationCounts *counts = &report->rank[r].counts;
        sino_json_open(json, NULL);
        sino_json_integer(json, "rank", r);
        sino_json_integer(json, "node", r / report->ranks_per_node);
        sino_json_real(json, "makespan_s", counts->makespan_s);
        sino_json_real(json, "inside_tasks", inside_tasks(report, counts));
        sino_json_real(json, "task_s", counts->task_s);
        sino_json_real(json, "between_s", counts->between_s);
        sino_json_integer(json, "tasks", counts->task_count);
        json_of_kinds(json, counts);
        json_of_messages(json, &counts->messages);
        json_of_memory(json, counts);
        json_of_transfers(json, counts);
        sino_json_close(json);
    }
    sino_json_close_list(json);
}

static void json_of_bytes(SinoJson *json, const SinoSimulateReport *report)
{
    json_of_memory(json, &report->all.counts);
    sino_json_integer(json, "operator_bytes", report->facts.operator_bytes);
    sino_json_integer(json, "lists_bytes", report->facts.lists_bytes);
    if (report->rank_count == 1) json_of_transfers(json, &report->all.counts);
}

void sino_simulate_json(const SinoSimulateReport *report, FILE *out)
{
    const SinoSimulationCounts *counts = &report->all.counts;
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    json_of_head(&json, report);
    sino_json_real(&json, "makespan_s", report->all.run_s);
    sino_json_real(&json, "building_s", report->all.building_s);
    json_of_bounds(&json, report);
    sino_json_real(&json, "inside_tasks", inside_tasks(report, counts));
    sino_json_real(&json, "task_s", counts->task_s);
    sino_json_real(&json, "between_s", counts->between_s);
    sino_json_integer(&json, "workers", counts->worker_count);
    sino_json_integer(&json, "tasks", counts->task_count);
    json_of_sources(&json, counts->by_source);
    sino_json_real(&json, "expected_error", counts->error);
    sino_json_open_list(&json, "assumed");
    for (int i = 0; i < report->assumed_count; i++) sino_json_text(&json, NULL, report->assumed[i]);
    sino_json_close_list(&json);
    json_of_kinds(&json, counts);
    json_of_bytes(&json, report);
    if (report->rank_count > 1) {
        json_of_team(&json, report);
        json_of_messages(&json, &counts->messages);
        json_of_ranks(&json, report);
    }
    sino_json_real(&json, "wall_s", report->wall_s);
    sino_json_close(&json);
}
