/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, report: a forecast as a table for people, and as JSON. */
#include "plan_report.h"

#include "amounts.h"
#include "memory.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

static double solver_bytes(const SinoPlanRequest *request)
{
    return (double)sino_precision_bytes(sino_precision_solver(request->job.problem.precision));
}

static double stored_bytes(const SinoPlanRequest *request)
{
    return (double)sino_precision_bytes(request->job.problem.precision);
}

static SinoAmounts memory_items(const SinoRunPlan *plan)
{
    const SinoResources *bytes = &plan->resources;
    const double slots = (double)plan->streaming.slots, sets = plan->streaming.slab_count > 1 ? 2 : 1;
    const double rest = (double)(bytes->slot_bytes - bytes->vector_bytes - bytes->sum_bytes);
    return (SinoAmounts){
        "memory_bytes",
        SINO_AMOUNT_BYTES,
        13,
        {
            {"base", "program", (double)bytes->base_bytes},
            {"operator", "operator", (double)bytes->operator_bytes},
            {"lists", "lists for devices", (double)bytes->lists_bytes},
            {"maps", "maps of footprints", (double)bytes->map_bytes},
            {"vectors", "vectors of the solver", slots * (double)bytes->vector_bytes},
            {"sums", "partial sums, halves", slots * (double)bytes->sum_bytes},
            {"images", "images, residuals", slots * rest + (double)(bytes->record_bytes + bytes->packing_bytes)},
            {"weights", "weights", (double)bytes->weight_bytes},
            {"input", "counts and fields", sets * (double)bytes->slab_bytes},
            {"loading", "fields being averaged", (double)bytes->loading_bytes},
            {"stages", "work of stages and of the solver on each core", (double)bytes->stage_bytes},
            {"building", "building the operator", (double)bytes->building_bytes},
            {"total", "total", (double)bytes->total_bytes},
        }};
}

static SinoAmounts time_items(const SinoForecastTimes *times)
{
    return (SinoAmounts){"iteration_seconds",
                         SINO_AMOUNT_SECONDS,
                         5,
                         {
                             {"kernel", "kernels", times->kernel},
                             {"update", "updates of vectors", times->update},
                             {"socket", "sums in sockets", times->socket},
                             {"node", "sums in nodes", times->node},
                             {"global", "between ranks", times->global},
                         }};
}

/* Bytes of one projection of all slices. Sums within a rank have the solver's precision, messages the stored
 * precision. */
static SinoAmounts traffic_items(const SinoPlanRequest *request, const SinoForecast *forecast)
{
    const double slices = (double)request->job.slice_count, stored = stored_bytes(request);
    const SinoTraffic *traffic = &forecast->plan.size.traffic;
    return (SinoAmounts){
        "projection_bytes",
        SINO_AMOUNT_BYTES,
        7,
        {
            {"worker_footprints", "footprints of workers",
             slices * stored * (double)traffic->footprints[SINO_LEVEL_WORKER]},
            {"socket_footprints", "footprints of sockets",
             slices * stored * (double)traffic->footprints[SINO_LEVEL_SOCKET]},
            {"node_footprints", "footprints of nodes", slices * stored * (double)traffic->footprints[SINO_LEVEL_NODE]},
            {"socket", "added in sockets", slices * solver_bytes(request) * (double)traffic->socket},
            {"node", "added in nodes", slices * solver_bytes(request) * (double)traffic->node},
            {"global", "between ranks", slices * stored * (double)traffic->global},
            {"global_direct", "the same, direct", slices * stored * (double)forecast->plan.size.direct.global},
        }};
}

/* The fraction by which a level has fewer bytes than the level below. */
static double reduction(int64_t less, int64_t more)
{
    return more > 0 ? 1 - (double)less / (double)more : 0;
}

/* Prints the range and mean step of the angles. */
static void print_angles(const SinoGeometry *scan, FILE *out)
{
    const double degrees = 180 / SINO_PI;
    double least = scan->angle_rad[0], most = least;
    for (int64_t k = 1; k < scan->angle_count; k++) {
        least = fmin(least, scan->angle_rad[k]);
        most = fmax(most, scan->angle_rad[k]);
    }
    fprintf(out, "angles       %.4f to %.4f degrees", least * degrees, most * degrees);
    if (scan->angle_count > 1)
        fprintf(out, ", steps of %.4f", (most - least) * degrees / (double)(scan->angle_count - 1));
    fputc('\n', out);
}

static void print_slice(const SinoGeometry *scan, FILE *out)
{
    const int64_t side = sino_geometry_slice_side(scan);
    fprintf(out, "slice        %" PRId64 " x %" PRId64 " voxels", side, side);
    if (scan->margin > 0) fprintf(out, ", in the middle of %" PRId64 " x %" PRId64, scan->grid_size, scan->grid_size);
    fputc('\n', out);
}

/* What each projector would take, if the plan has compared several. */
static void print_costs(const SinoForecast *forecast, FILE *out)
{
    char bytes[24], duration[SINO_DURATION_SIZE];
    int known = 0;
    for (int p = 0; p < SINO_PROJECTORS; p++) known += forecast->cost[p].known;
    if (known < 2) return;
    const char *before = "costs        ";
    for (int p = 0; p < SINO_PROJECTORS; p++) {
        const SinoProjectorCost *cost = &forecast->cost[p];
        if (!cost->known) continue;
        fprintf(out, "%s%s %s of work in %s", before, sino_projector_name((SinoProjector)p),
                sino_duration_text(cost->work_s, duration), sino_bytes_text(cost->memory_bytes, bytes));
        before = ", ";
    }
    fputc('\n', out);
}

/* The work by the projector that the plan has chosen. */
static const SinoWorkload *work_of(const SinoPlanRequest *request, const SinoForecast *forecast)
{
    const bool normal = sino_operator_is_normal(forecast->plan.problem.projector);
    return normal && request->normal ? request->normal : &request->job;
}

/* As plans of cone beams tell it. */
static void print_algorithm(const SinoWorkload *job, FILE *out)
{
    fprintf(out, "algorithm    %s", sino_algorithm_name(job->solver->choice));
    if (job->solver->iterative) fprintf(out, ", iterations: %" PRId64, job->history_columns - 1);
    fputc('\n', out);
}

static void print_head(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out)
{
    const SinoRunPlan *plan = &forecast->plan;
    const SinoProcessGrid *grid = &plan->grid;
    const SinoTopology *topology = &plan->division.topology;
    const SinoGeometry *scan = &plan->problem.geometry;
    char bytes[24];
    fprintf(out, "scan         %" PRId64 " angles, %" PRId64 " columns, %" PRId64 " slices\n", scan->angle_count,
            scan->column_count, request->job.slice_count);
    if (scan->grid_size != scan->column_count) print_slice(scan, out);
    print_angles(scan, out);
    print_algorithm(work_of(request, forecast), out);
    fprintf(out, "grid         %" PRId64 "x%" PRId64 ": %s\n", grid->batch_groups, grid->data_ranks, grid->why);
    if (plan->idle_ranks > 0)
        fprintf(out, "idle         %" PRId64 " of %" PRId64 " ranks\n", plan->idle_ranks, grid->rank_count);
    fprintf(out,
            "topology     nodes=%" PRId64 ",sockets=%" PRId64 ",workers=%" PRId64 ": %" PRId64
            " partitions of a slice; %" PRId64 " workers per rank\n",
            topology->node_count, topology->sockets, topology->workers, sino_topology_partitions(topology),
            plan->worker_count);
    fprintf(out, "operator     %.4g million nonzeros, %s per group, %" PRId64 " of %" PRId64 " angles stored\n",
            1e-6 * plan->size.nonzero_count, sino_bytes_text(plan->size.all_bytes, bytes), plan->size.stored_angles,
            scan->angle_count);
    if (plan->window_count > 0)
        fprintf(out,
                "windows      %" PRId64 " of %" PRId64
                " partitions are in memory at a time; the others are computed again when they are needed, which takes "
                "long\n",
                plan->window_count, plan->partition_count);
    fprintf(out, "projector    %s\n",
            forecast->projector_why[0] ? forecast->projector_why : sino_projector_name(plan->problem.projector));
    print_costs(forecast, out);
    if (forecast->projector_hint[0]) fprintf(out, "faster       %s\n", forecast->projector_hint);
    fprintf(out, "symmetry     %s: %s\n", plan->size.orientations > 1 ? "yes" : "no", forecast->symmetry_why);
    fprintf(out,
            "slices       %" PRId64 " of a group, in slabs of %" PRId64 " minibatches of %" PRId64
            " (the kernels at %.0f %% of their rate)\n",
            plan->group_slices, plan->streaming.slots, plan->streaming.minibatch,
            sino_operator_of(plan->problem.projector)->minibatch > 0 /* slices share next to nothing */
                ? 100
                : 100 * sino_spmm_efficiency(plan->streaming.minibatch));
}

static void print_memory(const SinoForecast *forecast, FILE *out)
{
    const SinoAmounts list = memory_items(&forecast->plan);
    char bytes[24];
    fprintf(out, "\nmemory of a rank, of %s\n", sino_bytes_text(forecast->plan.budget_bytes, bytes));
    sino_amounts_print(&list, out);
}

static void print_traffic(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out)
{
    const SinoTraffic *traffic = &forecast->plan.size.traffic;
    const int64_t *footprint = traffic->footprints;
    const SinoAmounts list = traffic_items(request, forecast);
    fprintf(out, "\nbytes of a projection of all slices, %s\n", request->choices.direct ? "direct" : "hierarchical");
    for (int i = 0; i < list.count; i++) {
        sino_amount_print(list.unit, &list.item[i], out);
        if ((i == SINO_LEVEL_SOCKET || i == SINO_LEVEL_NODE) && footprint[i] < footprint[i - 1])
            fprintf(out, "  -%.1f %%", 100 * reduction(footprint[i], footprint[i - 1]));
        if (i == SINO_LEVEL_NODE && footprint[i] < footprint[SINO_LEVEL_WORKER])
            fprintf(out, ", in all -%.1f %%", 100 * reduction(footprint[i], footprint[SINO_LEVEL_WORKER]));
        fputc('\n', out);
    }
    fprintf(out, "  %-28s %12" PRId64 " per minibatch, of one rank at most %" PRId64 "\n", "messages",
            traffic->messages, traffic->most_messages);
}

static double measured_gflops(const SinoForecast *forecast)
{
    return 1e-9 * 2 * forecast->plan.size.nonzero_count / forecast->products.product_s;
}

static void print_times(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out)
{
    const bool halved = request->job.halved;
    const SinoRates *machine = &request->machine.rates;
    const SinoForecastTimes *times = &forecast->times;
    const SinoAmounts list = time_items(times);
    double all = 0;
    char text[SINO_DURATION_SIZE];
    fprintf(out, "\ntime of an iteration, %s overlap\n",
            request->choices.overlap && forecast->plan.streaming.slots > 1 ? "with" : "without");
    for (int i = 0; i < list.count; i++) all += list.item[i].value;
    for (int i = 0; i < list.count; i++) {
        sino_amount_print(list.unit, &list.item[i], out);
        fprintf(out, " %6.1f %%\n", 100 * list.item[i].value / all);
    }
    fprintf(out, "  %-28s %12s\n", "iteration", sino_duration_text(times->iteration, text));
    fprintf(out, "\ntime of the run\n");
    fprintf(out, "  %-28s %12s\n", "files", sino_duration_text(times->files, text));
    if (times->search > 0)
        fprintf(out, "  %-28s %12s, %s NUMBER: none)\n", "search", sino_duration_text(times->search, text),
                halved ? "of numbers of iterations (--iterations" : "of the prior's strength (--regularization");
    if (times->finish > 0) fprintf(out, "  %-28s %12s\n", "details", sino_duration_text(times->finish, text));
    fprintf(out, "  %-28s %12s, without building the operator%s\n", "run", sino_duration_text(times->run, text),
            forecast->plan.window_count > 0 ? ", nor computing it again" : "");
    if (halved)
        fprintf(out, "  both are those of %" PRId64 " iterations, the most that a slice can have\n",
                work_of(request, forecast)->history_columns - 1);
    if (forecast->products.source != SINO_COST_RATE)
        fprintf(out,
                "\nproducts     %.3g GFLOP/s of a core, by a curve through times of tasks measured here, +- %.0f %%\n",
                measured_gflops(forecast), 100 * forecast->products.error);
    fprintf(out,
            "\nassumed      per %s: kernels %g GFLOP/s, memory %g GB/s, within a socket %g GB/s; per socket, within a "
            "node:\n"
            "             %g GB/s; per rank, to others: %g GB/s and %g us a message; all files: %g GB/s\n",
            machine->of_devices ? "device" : "worker", machine->kernel_gflops, machine->memory_gbps,
            machine->socket_gbps, machine->node_gbps, machine->link_gbps, machine->link_latency_us, machine->file_gbps);
}

void sino_plan_report_print(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out)
{
    print_head(request, forecast, out);
    print_memory(forecast, out);
    print_traffic(request, forecast, out);
    print_times(request, forecast, out);
}

static void json_of_scan(SinoJson *json, const SinoPlanRequest *request, const SinoGeometry *scan)
{
    sino_json_open(json, "scan");
    sino_json_integer(json, "angles", scan->angle_count);
    sino_json_integer(json, "columns", scan->column_count);
    sino_json_integer(json, "slices", request->job.slice_count);
    sino_json_close(json);
    sino_json_open(json, "slice");
    sino_json_integer(json, "side", sino_geometry_slice_side(scan));
    sino_json_integer(json, "margin", scan->margin);
    sino_json_close(json);
}

static void json_of_algorithm(SinoJson *json, const SinoWorkload *job)
{
    sino_json_text(json, "algorithm", sino_algorithm_name(job->solver->choice));
    sino_json_integer(json, "iterations", job->solver->iterative ? job->history_columns - 1 : 0);
}

static void json_of_ranks(SinoJson *json, const SinoRunPlan *plan)
{
    const SinoProcessGrid *grid = &plan->grid;
    const SinoTopology *topology = &plan->division.topology;
    sino_json_open(json, "grid");
    sino_json_integer(json, "ranks", grid->rank_count);
    sino_json_integer(json, "batch_groups", grid->batch_groups);
    sino_json_integer(json, "data_ranks", grid->data_ranks);
    sino_json_integer(json, "idle_ranks", plan->idle_ranks);
    sino_json_text(json, "why", grid->why);
    sino_json_close(json);
    sino_json_open(json, "topology");
    sino_json_integer(json, "nodes", topology->node_count);
    sino_json_integer(json, "sockets", topology->sockets);
    sino_json_integer(json, "workers", topology->workers);
    sino_json_integer(json, "rank_workers", plan->worker_count);
    sino_json_close(json);
}

static void json_of_costs(SinoJson *json, const SinoForecast *forecast)
{
    sino_json_open(json, "costs");
    for (int p = 0; p < SINO_PROJECTORS; p++) {
        if (!forecast->cost[p].known) continue;
        sino_json_open(json, sino_projector_name((SinoProjector)p));
        sino_json_real(json, "work_seconds", forecast->cost[p].work_s);
        sino_json_integer(json, "memory_bytes", forecast->cost[p].memory_bytes);
        sino_json_close(json);
    }
    sino_json_close(json);
}

static void json_of_operator(SinoJson *json, const SinoForecast *forecast)
{
    const SinoRunPlan *plan = &forecast->plan;
    sino_json_open(json, "operator");
    sino_json_real(json, "nonzeros", plan->size.nonzero_count);
    sino_json_integer(json, "bytes", plan->size.all_bytes);
    sino_json_integer(json, "stored_angles", plan->size.stored_angles);
    sino_json_integer(json, "orientations", plan->size.orientations);
    sino_json_integer(json, "partitions", plan->partition_count);
    sino_json_integer(json, "windows", plan->window_count);
    sino_json_flag(json, "symmetry", plan->size.orientations > 1);
    sino_json_text(json, "why", forecast->symmetry_why);
    sino_json_text(json, "projector", sino_projector_name(plan->problem.projector));
    sino_json_text(json, "projector_why", forecast->projector_why);
    sino_json_text(json, "projector_hint", forecast->projector_hint);
    json_of_costs(json, forecast);
    sino_json_close(json);
}

static void json_of_slices(SinoJson *json, const SinoRunPlan *plan)
{
    sino_json_open(json, "slices");
    sino_json_integer(json, "group", plan->group_slices);
    sino_json_integer(json, "minibatch", plan->streaming.minibatch);
    sino_json_integer(json, "slots", plan->streaming.slots);
    sino_json_integer(json, "slabs", plan->streaming.slab_count);
    sino_json_close(json);
}

static void json_of_products(SinoJson *json, const SinoForecast *forecast)
{
    const bool measured = forecast->products.source != SINO_COST_RATE;
    sino_json_open(json, "products");
    sino_json_text(json, "source", sino_cost_source_name(forecast->products.source));
    if (measured) sino_json_real(json, "gflops", measured_gflops(forecast));
    if (measured) sino_json_real(json, "error", forecast->products.error);
    sino_json_close(json);
}

static void json_of_times(SinoJson *json, const SinoForecastTimes *times)
{
    const SinoAmounts iteration = time_items(times);
    sino_amounts_json(&iteration, json);
    sino_json_open(json, "seconds");
    sino_json_real(json, "iteration", times->iteration);
    sino_json_real(json, "files", times->files);
    sino_json_real(json, "finish", times->finish);
    sino_json_real(json, "search", times->search);
    sino_json_real(json, "run", times->run);
    sino_json_close(json);
}

void sino_plan_report_json(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out)
{
    const SinoRunPlan *plan = &forecast->plan;
    const SinoAmounts memory = memory_items(plan), traffic = traffic_items(request, forecast);
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    json_of_scan(&json, request, &plan->problem.geometry);
    json_of_algorithm(&json, work_of(request, forecast));
    json_of_ranks(&json, plan);
    json_of_operator(&json, forecast);
    json_of_slices(&json, plan);
    sino_json_integer(&json, "budget_bytes", plan->budget_bytes);
    sino_amounts_json(&memory, &json);
    sino_amounts_json(&traffic, &json);
    sino_json_open(&json, "messages");
    sino_json_integer(&json, "minibatch", plan->size.traffic.messages);
    sino_json_integer(&json, "most", plan->size.traffic.most_messages);
    sino_json_close(&json);
    json_of_times(&json, &forecast->times);
    json_of_products(&json, forecast);
    sino_json_close(&json);
}
