/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: the way rays are stored, and the duration of a planned run. */
#include "forecast.h"

#include "duration.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>

enum { PANEL = 16 };

/* Cost model of a product of F slices, measured at F = 1 … 64 (docs/PERFORMANCE.md): reading A costs as much as twenty
 * slices. */
double sino_forecast_kernel_efficiency(int64_t slices)
{
    const double read = 20, count = (double)(slices < PANEL ? slices : PANEL);
    return count * (read + PANEL) / (PANEL * (read + count));
}

/* Bytes of vectors that an iteration reads and writes, per slice: updates (each ray vector 1.5 times, each voxel vector
 * twice), casts to halves, and sums at the owners of rays. */
static double update_bytes(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoVectors *vectors = &request->job.solver->vectors;
    const SinoExtent *extent = plan->size.shape.extent;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double stored = (double)sino_precision_bytes(plan->problem.precision);
    const double voxels = (double)extent[SINO_ROWS_VOXELS].total, rays = (double)extent[SINO_ROWS_RAYS].total;
    double rows = 0;
    for (int64_t i = 0; i < vectors->count; i++)
        rows += vectors->buffer[i].rows == SINO_ROWS_VOXELS ? 2 * voxels : 1.5 * rays;
    const double narrow = stored < element ? (element + stored) * (voxels + rays) : 0;
    return rows * element + narrow + 2 * (double)plan->size.traffic.most_received * (stored + 2 * element);
}

/* Time of `count` pieces that pass two stages: the longer stage hides the other, except for one piece. */
static double overlapped(double a, double b, double count)
{
    return fmax(a, b) + fmin(a, b) / count;
}

enum { DIRECTIONS = 2 }; /* projection and backprojection */
static const double giga = 1e9;

/* Times of the work inside a rank. */
static void predict_local(const SinoPlanRequest *request, const SinoRunPlan *plan, SinoForecastTimes *times)
{
    const double plain_share = 0.87;
    const SinoRates *rates = &request->machine.rates;
    const SinoTopology *topology = &plan->division.topology;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double slices = (double)plan->slowest_slices;
    /* Without symmetry kernels are slower, if angles could pair up. */
    const double share = request->job.problem.symmetry && !plan->problem.symmetry ? plain_share : 1;
    const double gflops = rates->kernel_gflops * share * sino_forecast_kernel_efficiency(plan->streaming.minibatch);
    times->kernel = DIRECTIONS * 2 * plan->size.slowest_nonzeros * slices / (gflops * giga);
    times->update = update_bytes(request, plan) * slices / (rates->memory_gbps * giga * (double)plan->worker_count);
    /* If a rank has several nodes (a simulated cluster), their times add up. */
    const int64_t rank_nodes = topology->node_count / topology->rank_count;
    const double nodes = (double)rank_nodes;
    times->socket = DIRECTIONS * nodes * (double)plan->size.traffic.most_socket * element * slices /
                    (rates->socket_gbps * giga * (double)topology->workers);
    times->node = DIRECTIONS * nodes * (double)plan->size.traffic.most_node * element * slices /
                  (rates->node_gbps * giga * (double)topology->sockets);
}

static double minibatch_count(const SinoRunPlan *plan)
{
    return ceil((double)plan->slowest_slices / (double)plan->streaming.minibatch);
}

/* Time of messages between ranks: bytes and messages of the busiest rank, in or out. */
static double predict_global(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoRates *rates = &request->machine.rates;
    const SinoTraffic *traffic = &plan->size.traffic;
    const int64_t most = traffic->most_sent > traffic->most_received ? traffic->most_sent : traffic->most_received;
    const double bytes =
        (double)most * (double)sino_precision_bytes(plan->problem.precision) * (double)plan->slowest_slices;
    const double messages = (double)traffic->most_messages * minibatch_count(plan);
    return DIRECTIONS * (bytes / (rates->link_gbps * giga) + 1e-6 * rates->link_latency_us * messages);
}

static SinoForecastTimes predict(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoWorkload *job = &request->job;
    const double size = (double)job->problem.geometry.grid_size;
    SinoForecastTimes times = {.global = predict_global(request, plan)};
    predict_local(request, plan, &times);
    const double local = times.kernel + times.update + times.socket + times.node;
    times.iteration = request->choices.overlap && plan->streaming.slots > 1
                          ? overlapped(local, times.global, minibatch_count(plan))
                          : local + times.global;
    times.files = (double)job->slice_count * ((double)job->slice_bytes + size * size * sizeof(float)) /
                  (request->machine.rates.file_gbps * giga);
    /* One backprojection precedes the first iteration. */
    const double products = (double)(job->history_columns - 1) + 0.5;
    times.run = overlapped(products * times.iteration, times.files, (double)plan->streaming.slab_count);
    return times;
}

static SinoStatus forecast_way(const SinoPlanRequest *request, bool symmetry, SinoForecast *forecast)
{
    SinoPlanRequest way = *request;
    way.job.problem.symmetry = symmetry;
    SINO_TRY(sino_run_plan_new(&way, &forecast->plan));
    forecast->times = predict(request, &forecast->plan);
    return NULL;
}

/* Writes why the chosen way is better than the other. */
static void explain(SinoForecast *taken, const SinoForecast *other, SinoStatus other_status)
{
    char bytes[24], other_bytes[24], duration[SINO_DURATION_SIZE], rest[320];
    const bool orbits = taken->plan.problem.symmetry;
    if (other_status)
        snprintf(rest, sizeof rest, "the other way does not do: %s", sino_status_text(other_status));
    else
        snprintf(rest, sizeof rest, "%s %s and %s", orbits ? "without that" : "with turned tiles",
                 sino_bytes_text(other->plan.size.all_bytes, other_bytes),
                 sino_duration_text(other->times.iteration, duration));
    snprintf(taken->symmetry_why, sizeof taken->symmetry_why, "%s: an operator of %s, %s per iteration; %s",
             orbits ? "tiles and their turned images share lengths, and a partition has whole orbits of tiles"
                    : "every angle is stored, partitions are compact",
             sino_bytes_text(taken->plan.size.all_bytes, bytes), sino_duration_text(taken->times.iteration, duration),
             rest);
}

/* Chooses between the forecast with orbits of tiles (or its error, `status`) and the forecast that stores every
 * angle. */
static SinoStatus choose(const SinoPlanRequest *request, SinoForecast *orbits, SinoStatus status, SinoForecast *result)
{
    SinoForecast plain = {0};
    SinoStatus plain_status = forecast_way(request, false, &plain);
    const bool take_plain = !plain_status && (status || plain.times.iteration < 0.98 * orbits->times.iteration);
    if (take_plain)
        explain(&plain, orbits, status);
    else if (!status)
        explain(orbits, &plain, plain_status);
    sino_status_free(plain_status);
    *result = take_plain ? plain : *orbits;
    sino_forecast_free(take_plain ? orbits : &plain);
    if (!take_plain) return status;
    sino_status_free(status);
    return NULL;
}

static const char *why_single(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoProblem *problem = &request->job.problem;
    if (!problem->symmetry) return "symmetry is off";
    if (plan->size.orientations > 1) return "a slice lies in one rank";
    if (problem->subset_count > 1) return "subsets store every angle";
    return problem->geometry.grid_size % 2 == 1 ? "symmetry needs an even --volume"
                                                : "no quarter turns or mirror images among the angles";
}

SinoStatus sino_forecast_new(const SinoPlanRequest *request, SinoForecast *result)
{
    SinoForecast forecast = {0};
    SinoStatus status = forecast_way(request, request->job.problem.symmetry, &forecast);
    const bool paired = request->job.problem.symmetry && (status || forecast.plan.size.orientations > 1);
    const bool shared = request->rank_count > 1 && (status || forecast.plan.grid.data_ranks > 1);
    if (paired && shared) return choose(request, &forecast, status, result);
    if (status) return status;
    snprintf(forecast.symmetry_why, sizeof forecast.symmetry_why, "%s", why_single(request, &forecast.plan));
    *result = forecast;
    return NULL;
}

void sino_forecast_free(SinoForecast *forecast)
{
    sino_run_plan_free(&forecast->plan);
}
