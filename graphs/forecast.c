/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: how a run on many ranks shares its work, what each rank holds and sends, and how long it takes. */
#include "forecast.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { PANEL = 16 };

/* One way of storing A, for every grid that is looked at. */
typedef struct Way {
    const SinoForecastRequest *request;
    SinoLayout layout; /* owned */
    int64_t operator_bytes;
    double kernel_share; /* of the kernels' rate */
    bool least;          /* one slice and one slot will do */
} Way;

/* A grid with all that follows from it but times. */
typedef struct Division {
    SinoTopology topology;
    SinoDecomposition decomposition; /* owned */
    SinoFootprintSizes sizes;        /* owned */
    const double *rank_weight;       /* of the group's ranks; NULL: all alike; not owned */
    int64_t group_slices;
    int64_t worker_count;
} Division;

void sino_forecast_take_input(const SinoInput *input, SinoForecastRequest *request)
{
    request->scan = input->geometry;
    request->scan.center = (double)(input->geometry.column_count - 1) / 2;
    request->slice_count = input->slice_count;
    request->slice_input_bytes = sino_input_slab_bytes(input, input->angle_count, 1);
    request->slice_field_bytes = input->flat_correction == SINO_FLAT_NONE ? 0 : 2 * sino_input_field_bytes(input, 1);
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

/* Cost of a product of F slices, measured at 1 … 64 (docs/PERFORMANCE.md): reading A as much as twenty slices. */
double sino_forecast_kernel_efficiency(int64_t slices)
{
    const double read = 20, count = (double)at_most(slices, PANEL);
    return count * (read + PANEL) / (PANEL * (read + count));
}

/* Of the group with the most slices. */
static int64_t wanted_minibatch(const Way *way, int64_t group_slices)
{
    const SinoSettings *settings = way->request->settings;
    const int64_t panel = sino_panel_width(settings->precision), usual = panel > PANEL ? panel : PANEL;
    const int64_t wanted = settings->minibatch ? settings->minibatch : way->least ? 1 : usual;
    const int64_t most = group_slices > 0 ? group_slices : 1;
    return ceil_divide(most, ceil_divide(most, at_most(wanted, most)));
}

/* Overlap needs a second minibatch. */
static int64_t least_slots(const Way *way, int64_t minibatches)
{
    return way->least || !way->request->settings->overlap ? 1 : at_most(2, minibatches);
}

static int64_t history_columns(const SinoForecastRequest *request)
{
    return request->solver->iterative ? request->settings->iterations + 1 : 1;
}

static SinoStatus new_topology(const Way *way, int64_t data_ranks, Division *division)
{
    const SinoForecastRequest *request = way->request;
    const SinoTopologyShape *shape = &request->settings->topology;
    const int64_t minibatches = ceil_divide(division->group_slices, wanted_minibatch(way, division->group_slices));
    const SinoTopologyRequest wanted = {.shape = *shape,
                                        .rank_count = data_ranks,
                                        .rank_partitions =
                                            minibatches >= request->worker_count ? 1 : request->worker_count,
                                        .machine_sockets = request->machine_sockets};
    SINO_TRY(sino_topology_new(&wanted, &division->topology));
    const bool given = shape->workers > 0 && request->settings->workers == 0;
    division->worker_count = given ? sino_topology_rank_partitions(&division->topology) : request->worker_count;
    return NULL;
}

static void division_free(Division *division)
{
    sino_decomposition_free(&division->decomposition);
    sino_footprint_sizes_free(&division->sizes);
}

/* The slices of one group over its ranks. */
static SinoStatus divide(const Way *way, int64_t group, int64_t group_slices, int64_t data_ranks, Division *result)
{
    SinoStatus status = NULL;
    const SinoWeightList *weights = &way->request->settings->node_weights;
    Division made = {.group_slices = group_slices > 0 ? group_slices : 1,
                     .rank_weight = weights->count > 0 ? weights->value + group * data_ranks : NULL};
    double *share = NULL;
    SINO_TRY(new_topology(way, data_ranks, &made));
    const int64_t partitions = sino_topology_partitions(&made.topology);
    SINO_TRY_OR(status, cleanup, sino_allocate(partitions, sizeof *share, "partitions", &share));
    sino_topology_shares(&made.topology, made.rank_weight, share);
    SINO_TRY_OR(status, cleanup, sino_decomposition_new(&way->layout, partitions, share, &made.decomposition));
    SINO_TRY_OR(status, cleanup,
                sino_footprint_sizes_new(&way->request->scan, &made.decomposition, &made.topology, &made.sizes));
    *result = made;
    made = (Division){0};
cleanup:
    free(share);
    division_free(&made);
    return status;
}

static SinoRankNeed need_of(const Way *way, const Division *division)
{
    const SinoForecastRequest *request = way->request;
    return (SinoRankNeed){.scan = &request->scan,
                          .precision = request->settings->precision,
                          .communication = request->settings->communication,
                          .vectors = request->solver->vectors,
                          .history_columns = history_columns(request),
                          .slice_input_bytes = request->slice_input_bytes,
                          .slice_field_bytes = request->slice_field_bytes,
                          .worker_count = division->worker_count,
                          .operator_bytes = way->operator_bytes,
                          .sizes = &division->sizes,
                          .decomposition = &division->decomposition};
}

/* What cannot be less, without a look at footprints: most grids that do not fit are told by that. */
static int64_t lower_bound(const Way *way, int64_t group_slices, int64_t data_ranks)
{
    const SinoForecastRequest *request = way->request;
    const int64_t element = (int64_t)sino_precision_bytes(sino_precision_solver(request->settings->precision));
    const SinoVectorCount *vectors = &request->solver->vectors;
    const double elements = (double)vectors->voxels * (double)sino_tile_voxels(request->scan.grid_size) +
                            (double)vectors->rays * (double)sino_geometry_ray_count(&request->scan);
    const double slices = (double)wanted_minibatch(way, group_slices);
    return (int64_t)(((double)way->operator_bytes + slices * elements * (double)element) / (double)data_ranks);
}

/* SinoRankBytes. */
static SinoStatus rank_bytes(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes)
{
    const Way *way = context;
    const int64_t group_slices = ceil_divide(way->request->slice_count, batch_groups);
    Division division = {0};
    SinoRankMemory memory;
    *bytes = lower_bound(way, group_slices, data_ranks);
    if (*bytes > way->request->budget_bytes) return NULL;
    SINO_TRY(divide(way, 0, group_slices, data_ranks, &division));
    const SinoRankNeed need = need_of(way, &division);
    const int64_t minibatch = wanted_minibatch(way, group_slices);
    sino_rank_memory(&need, minibatch, least_slots(way, ceil_divide(group_slices, minibatch)), group_slices, &memory);
    *bytes = memory.total_bytes;
    division_free(&division);
    return NULL;
}

/* The group that takes longest: the most slices for its speed. */
static int64_t slowest_group(const Way *way, const SinoProcessGrid *grid)
{
    const SinoWeightList *weights = &way->request->settings->node_weights;
    int64_t slowest = 0;
    double most = 0;
    for (int64_t g = 0; g < grid->batch_groups; g++) {
        double speed = 0;
        for (int64_t d = 0; d < grid->data_ranks; d++)
            speed += weights->count > 0 ? weights->value[g * grid->data_ranks + d] : 1;
        const double duration = (double)sino_process_grid_slices(grid, g) / speed;
        if (duration <= most) continue;
        most = duration;
        slowest = g;
    }
    return slowest;
}

/* A grid for a panel of slices in flight twice, else for any slice. */
static SinoStatus choose_grid(Way *way, SinoProcessGrid *grid)
{
    const SinoForecastRequest *request = way->request;
    const SinoProcessGridRequest wanted = {
        .shape = request->settings->grid,
        .rank_count = request->rank_count,
        .slice_count = request->slice_count,
        .node_count = request->settings->topology.nodes,
        .unit_count = sino_decomposition_units(&way->layout),
        .rank_weight = request->settings->node_weights.count > 0 ? request->settings->node_weights.value : NULL,
        .rank_bytes = rank_bytes,
        .context = way,
        .budget_bytes = request->budget_bytes};
    way->least = false;
    SinoStatus status = sino_process_grid_new(&wanted, grid);
    if (!status || sino_status_exit_code(status) != SINO_BAD_INPUT || request->settings->minibatch) return status;
    sino_status_free(status);
    way->least = true;
    return sino_process_grid_new(&wanted, grid);
}

/* As many slots as are of use and fit; fewer slices each where even the least do not. */
static SinoStatus fill_memory(const Way *way, const Division *division, SinoForecast *made)
{
    const SinoForecastRequest *request = way->request;
    const SinoRankNeed need = need_of(way, division);
    const int64_t slices = division->group_slices;
    const int64_t partitions = sino_topology_rank_partitions(&division->topology);
    const int64_t useful = partitions >= division->worker_count ? 4 : 2 * division->worker_count;
    char total[24], budget[24];
    made->minibatch = wanted_minibatch(way, slices);
    made->slots = at_most(useful, ceil_divide(slices, made->minibatch));
    for (;;) {
        sino_rank_memory(&need, made->minibatch, made->slots, slices, &made->memory);
        if (made->memory.total_bytes <= request->budget_bytes) break;
        if (made->slots > 1)
            made->slots--;
        else if (made->minibatch > 1 && !request->settings->minibatch)
            made->minibatch = ceil_divide(made->minibatch, 2);
        else
            return sino_error(SINO_BAD_INPUT,
                              "memory is %s per rank; with %" PRId64 " ranks per slice a rank needs %s; allowed: "
                              "--memory %" PRId64 "MiB or more, or more ranks per slice",
                              sino_bytes_text(request->budget_bytes, budget), division->topology.rank_count,
                              sino_bytes_text(made->memory.total_bytes, total), (made->memory.total_bytes >> 20) + 1);
    }
    made->minibatch_count = ceil_divide(slices, made->minibatch);
    made->slab_count = ceil_divide(slices, made->slots * made->minibatch);
    return NULL;
}

/* Nonzeros that the slowest worker has for each slice, times its slowness. Speeds are relative to their mean. */
static double slowest_nonzeros(const Way *way, const Division *division)
{
    const SinoTopology *topology = &division->topology;
    const SinoDecomposition *decomposition = &division->decomposition;
    const SinoWeightList *weights = &way->request->settings->node_weights;
    const int64_t partitions = sino_topology_partitions(topology), per_rank = sino_topology_rank_partitions(topology);
    /* Partitions of a rank run beside each other, or its workers take one after another. */
    const int64_t run = per_rank >= division->worker_count ? 1 : per_rank;
    double mean = 0, most = 0;
    for (int64_t r = 0; r < weights->count; r++) mean += weights->value[r] / (double)weights->count;
    for (int64_t p = 0; p < partitions; p += run) {
        double nonzeros = 0;
        const double speed =
            weights->count > 0 ? division->rank_weight[sino_topology_rank_of_partition(topology, p)] / mean : 1;
        for (int64_t t = decomposition->first[p]; t < decomposition->first[p + run]; t++)
            nonzeros += decomposition->weight[t];
        most = fmax(most, nonzeros / speed);
    }
    const int64_t runs = per_rank / run;
    return most * (double)runs / (double)division->worker_count;
}

/* Bytes of vectors that an iteration reads and writes, per slice: updates (each ray vector 1.5 times, each voxel vector
 * twice), halves, and what owners add. */
static double update_bytes(const Way *way, const Division *division, const SinoForecast *made)
{
    const SinoForecastRequest *request = way->request;
    const double element = (double)sino_precision_bytes(sino_precision_solver(request->settings->precision));
    const double stored = (double)sino_precision_bytes(request->settings->precision);
    const double ranks = (double)division->topology.rank_count;
    const double voxels = (double)sino_tile_voxels(request->scan.grid_size) / ranks;
    const double rays = (double)sino_geometry_ray_count(&request->scan) / ranks;
    const double vectors =
        2 * (double)request->solver->vectors.voxels * voxels + 1.5 * (double)request->solver->vectors.rays * rays;
    const double narrow = stored < element ? (element + stored) * (voxels + rays) : 0;
    return vectors * element + narrow + 2 * (double)made->traffic.most_received * (stored + 2 * element);
}

/* Two stages in turn for each of `count` pieces: the longer one hides the other but for one piece. */
static double overlapped(double a, double b, double count)
{
    return fmax(a, b) + fmin(a, b) / count;
}

enum { DIRECTIONS = 2 }; /* projection and backprojection */
static const double giga = 1e9;

/* What a rank does by itself. */
static void predict_local(const Way *way, const Division *division, const SinoForecast *made, SinoForecastTimes *times)
{
    const SinoSettings *machine = way->request->settings;
    const SinoTopology *topology = &division->topology;
    const double element = (double)sino_precision_bytes(sino_precision_solver(machine->precision));
    const double slices = (double)division->group_slices;
    const double gflops = machine->kernel_gflops * way->kernel_share * sino_forecast_kernel_efficiency(made->minibatch);
    times->kernel = DIRECTIONS * 2 * slowest_nonzeros(way, division) * slices / (gflops * giga);
    times->update =
        update_bytes(way, division, made) * slices / (machine->memory_gbps * giga * (double)division->worker_count);
    /* Of a cluster that is tried out on one machine, whose nodes are one after the other. */
    const int64_t rank_nodes = topology->node_count / topology->rank_count;
    const double nodes = (double)rank_nodes;
    times->socket = DIRECTIONS * nodes * (double)made->traffic.most_socket * element * slices /
                    (machine->socket_gbps * giga * (double)topology->workers);
    times->node = DIRECTIONS * nodes * (double)made->traffic.most_node * element * slices /
                  (machine->node_gbps * giga * (double)topology->sockets);
}

/* Between ranks: bytes and messages of the busiest one, in or out. */
static double predict_global(const Way *way, const Division *division, const SinoForecast *made)
{
    const SinoSettings *machine = way->request->settings;
    const SinoTraffic *traffic = &made->traffic;
    const int64_t most = traffic->most_sent > traffic->most_received ? traffic->most_sent : traffic->most_received;
    const double bytes =
        (double)most * (double)sino_precision_bytes(machine->precision) * (double)division->group_slices;
    const double messages = (double)traffic->most_messages * (double)made->minibatch_count;
    return DIRECTIONS * (bytes / (machine->link_gbps * giga) + 1e-6 * machine->link_latency_us * messages);
}

static void predict(const Way *way, const Division *division, SinoForecast *made)
{
    const SinoForecastRequest *request = way->request;
    const SinoSettings *machine = request->settings;
    const double size = (double)request->scan.grid_size;
    SinoForecastTimes times = {.global = predict_global(way, division, made)};
    predict_local(way, division, made, &times);
    const double local = times.kernel + times.update + times.socket + times.node;
    times.iteration = machine->overlap && made->slots > 1
                          ? overlapped(local, times.global, (double)made->minibatch_count)
                          : local + times.global;
    times.files = (double)request->slice_count * ((double)request->slice_input_bytes + size * size * sizeof(float)) /
                  (machine->file_gbps * giga);
    /* Before the first iteration there is a backprojection. */
    const double products = (request->solver->iterative ? (double)machine->iterations : 0) + 0.5;
    times.run = overlapped(products * times.iteration, times.files, (double)made->slab_count);
    made->times = times;
}

static SinoStatus forecast_way(Way *way, SinoForecast *result)
{
    SinoStatus status = NULL;
    SinoForecast made = {0};
    Division division = {0};
    SINO_TRY(choose_grid(way, &made.grid));
    const int64_t group = slowest_group(way, &made.grid);
    made.group_slices = sino_process_grid_slices(&made.grid, group);
    SINO_TRY_OR(status, fail, divide(way, group, made.group_slices, made.grid.data_ranks, &division));
    made.topology = division.topology;
    made.idle_ranks = sino_process_grid_idle(&made.grid, sino_decomposition_units(&way->layout));
    made.worker_count = division.worker_count;
    made.symmetry = way->layout.orientations != 1;
    made.orientations = __builtin_popcount(way->layout.orientations);
    made.stored_angles = sino_layout_stored_angles(&way->layout);
    made.nonzero_count = division.decomposition.nonzero_count;
    made.operator_bytes = way->operator_bytes;
    made.traffic = sino_traffic(&division.sizes, way->request->settings->communication);
    made.direct = sino_traffic(&division.sizes, SINO_COMMUNICATION_DIRECT);
    SINO_TRY_OR(status, fail, fill_memory(way, &division, &made));
    predict(way, &division, &made);
    *result = made;
    made = (SinoForecast){0};
fail:
    division_free(&division);
    sino_forecast_free(&made);
    return status;
}

/* `turned`: the layout may store angles for several orientations. */
static SinoStatus forecast_layout(const SinoForecastRequest *request, bool turned, double kernel_share,
                                  SinoForecast *result, bool *paired)
{
    Way way = {.request = request, .kernel_share = kernel_share};
    SINO_TRY(sino_layout_new(&request->scan, request->settings->precision, turned, &way.layout));
    way.operator_bytes = sino_operator_estimate_bytes(&way.layout);
    *paired = way.layout.orientations != 1;
    SinoStatus status = forecast_way(&way, result);
    sino_layout_free(&way.layout);
    return status;
}

/* Of two ways that fit, or the only one. */
static void explain(SinoForecast *taken, const SinoForecast *other, SinoStatus other_status)
{
    char bytes[24], other_bytes[24], rest[320];
    if (other_status)
        snprintf(rest, sizeof rest, "the other way does not do: %s", sino_status_text(other_status));
    else
        snprintf(rest, sizeof rest, "%s %s and %.3g s", taken->symmetry ? "without that" : "with turned tiles",
                 sino_bytes_text(other->operator_bytes, other_bytes), other->times.iteration);
    snprintf(taken->symmetry_why, sizeof taken->symmetry_why, "%s: an operator of %s, %.3g s per iteration; %s",
             taken->symmetry ? "tiles and their turned images share lengths, and a partition"
                             : "every angle is stored, partitions are compact",
             sino_bytes_text(taken->operator_bytes, bytes), taken->times.iteration, rest);
}

/* Where angles pair up: orbits of turned tiles, or every angle stored. */
static SinoStatus choose_paired(const SinoForecastRequest *request, SinoForecast *turned, SinoStatus turned_status,
                                SinoForecast *result)
{
    const double plain_rate = 0.87;
    bool paired;
    SinoForecast plain = {0};
    SinoStatus plain_status = forecast_layout(request, false, plain_rate, &plain, &paired);
    const bool take_plain = !plain_status && (turned_status || plain.times.iteration < 0.98 * turned->times.iteration);
    if (take_plain)
        explain(&plain, turned, turned_status);
    else if (!turned_status)
        explain(turned, &plain, plain_status);
    sino_status_free(plain_status);
    *result = take_plain ? plain : *turned;
    sino_forecast_free(take_plain ? turned : &plain);
    if (!take_plain) return turned_status;
    sino_status_free(turned_status);
    return NULL;
}

static SinoStatus choose_way(const SinoForecastRequest *request, SinoForecast *result)
{
    bool paired = false;
    SinoForecast forecast = {0};
    SinoStatus status = forecast_layout(request, request->settings->symmetry, 1, &forecast, &paired);
    if (paired) return choose_paired(request, &forecast, status, result);
    if (status) return status;
    snprintf(forecast.symmetry_why, sizeof forecast.symmetry_why, "%s",
             !request->settings->symmetry       ? "symmetry is off"
             : request->scan.grid_size % 2 == 1 ? "symmetry needs an even number of columns"
                                                : "no quarter turns or mirror images among the angles");
    *result = forecast;
    return NULL;
}

SinoStatus sino_forecast_new(const SinoForecastRequest *request, SinoForecast *result)
{
    const int64_t weights = request->settings->node_weights.count;
    int64_t rays;
    SINO_CHECK(weights == 0 || weights == request->rank_count, SINO_BAD_INPUT,
               "--node-weights has %" PRId64 " numbers; allowed: one for each of the %" PRId64 " ranks", weights,
               request->rank_count);
    SINO_TRY(sino_multiply(request->scan.angle_count, request->scan.column_count, "rays", &rays));
    SINO_CHECK(rays <= UINT32_MAX, SINO_BAD_INPUT, "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays",
               request->scan.angle_count, request->scan.column_count);
    return choose_way(request, result);
}

void sino_forecast_free(SinoForecast *forecast)
{
    sino_process_grid_free(&forecast->grid);
    *forecast = (SinoForecast){0};
}
