/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: the way rays are stored, and the duration of a planned run. */
#include "forecast.h"

#include "halves.h"
#include "memory.h"
#include "projector_cost.h"
#include "text.h"

#include <math.h>
#include <string.h>

/* Bytes of vectors that an iteration reads and writes, per slice: updates (each ray vector 1.5 times, each voxel vector
 * twice for each update), casts to halves, and sums at the owners of rays. */
static double update_bytes(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoVectors *vectors = &request->job.solver->vectors;
    const SinoExtent *extent = plan->size.shape.extent;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double stored = (double)sino_precision_bytes(plan->problem.precision);
    const double voxels = (double)extent[SINO_ROWS_VOXELS].total, rays = (double)extent[SINO_ROWS_RAYS].total;
    const double updates =
        sino_solver_updates(request->job.solver, plan->problem.subset_count, request->job.history_columns - 1);
    double rows = 0;
    for (int64_t i = 0; i < vectors->count; i++) switch (vectors->buffer[i].rows) {
        case SINO_ROWS_VOXELS:
            rows += 2 * updates * voxels;
            break;
        case SINO_ROWS_COMPLETED:
            rows += 1.5 * (double)extent[SINO_ROWS_COMPLETED].total;
            break;
        default:
            rows += 1.5 * rays;
        }
    const double narrow = stored < element ? (element + stored) * (updates * voxels + rays) : 0;
    return rows * element + narrow + 2 * (double)plan->size.traffic.most_received * (stored + 2 * element);
}

/* Time of `count` pieces that pass two stages: the longer stage hides the other, except for one piece. */
static double overlapped(double a, double b, double count)
{
    return fmax(a, b) + fmin(a, b) / count;
}

enum { DIRECTIONS = 2 }; /* projection and backprojection */
static const double giga = 1e9;

/* How many of the plan's workers a processor of the rates stands for: devices compute in place of all workers. */
static double worker_share(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const int64_t devices = request->machine.devices.count;
    return request->machine.rates.of_devices && devices > 0 ? (double)plan->worker_count / (double)devices : 1;
}

/* How much longer the work inside a rank takes than if all of its workers had some. */
static double idle_factor(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    return request->machine.devices.count > 0 ? 1 : 1 / sino_plan_busy_share(plan);
}

/* Times of the work inside a rank. */
static void predict_local(const SinoPlanRequest *request, const SinoRunPlan *plan, const SinoProductTimes *products,
                          SinoForecastTimes *times)
{
    const double plain_share = 0.87;
    const SinoRates *rates = &request->machine.rates;
    const SinoTopology *topology = &plan->division.topology;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double slices = (double)plan->slowest_slices;
    /* Without symmetry kernels are slower, if angles could pair up. */
    const double share = request->job.problem.symmetry && !plan->problem.symmetry ? plain_share : 1;
    const double workers = (double)plan->worker_count / worker_share(request, plan);
    const bool measured = products->source != SINO_COST_RATE;
    const double product_s =
        measured ? products->product_s
                 : sino_projector_product_s(&plan->problem, plan->size.nonzero_count, rates, plan->streaming.minibatch);
    times->kernel = DIRECTIONS * product_s * slices * plan->size.slowest_nonzeros * worker_share(request, plan) /
                    ((measured ? 1 : share) * plan->size.nonzero_count) * idle_factor(request, plan);
    times->update =
        update_bytes(request, plan) * slices / (rates->memory_gbps * giga * workers) * idle_factor(request, plan);
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

/* Time of the search by the normal operator of most of the angles (halves.h): of each trial the iterations of a
 * panel, and the projections of a quarter of the angles by rotation. */
static double normal_search_s(const SinoPlanRequest *request, double iteration_s, int64_t panel, int64_t trials)
{
    SinoProblem problem = request->job.problem;
    problem.projector = sino_halves_normal_predictor();
    const double project_s = sino_projector_product_s(&problem, 0, &request->machine.rates, 1) / 4;
    const double workers = fmin((double)sino_larger(request->machine.worker_count, 1), (double)panel / 2);
    return (double)trials *
           ((double)(request->job.history_columns - 1) * iteration_s + (double)panel * project_s / workers);
}

/* Time of an iteration of a minibatch of so many slices, whose partitions are its only tasks at a time. */
static double panel_time(const SinoRunPlan *plan, double iteration_s, int64_t panel)
{
    const double busy = (double)sino_smaller(plan->partition_count, plan->worker_count);
    return iteration_s * (double)panel / (double)plan->slowest_slices * (double)plan->worker_count / busy;
}

/* Time of the search for the strength of fista's prior: mostly one trial, iterations of a panel of one slice each
 * (halves_strength.c). With averaged columns these are a quarter, on all workers and by an operator of its own
 * (halves.h). */
static double strength_search_s(const SinoPlanRequest *request, const SinoRunPlan *plan, double iteration_s)
{
    enum { NORMAL_TRIALS = 2, NORMAL_PANEL = SINO_HALVES * SINO_HALVES_STEPS };
    const SinoMachine *machine = &request->machine;
    double share = 1 / (double)sino_times(plan->trial_binning, plan->trial_binning);
    SinoProblem problem = plan->problem;
    if (plan->trial_binning > 1)
        problem = sino_trial_operator(&problem, 1, plan->worker_count, machine->devices.count).problem;
    if (problem.left_out > 0) share *= 1 - 1 / (double)problem.left_out;
    const int64_t panel = sino_trial_batch(&request->job, sino_operator_of(problem.projector)).stride;
    const double nonzeros = plan->size.nonzero_count,
                 gain = sino_projector_product_s(&problem, nonzeros, &machine->rates, panel) /
                        sino_projector_product_s(&plan->problem, nonzeros, &machine->rates, plan->streaming.minibatch);
    if (request->job.solver->normal)
        return share * normal_search_s(request, iteration_s * NORMAL_PANEL / (double)plan->slowest_slices, NORMAL_PANEL,
                                       NORMAL_TRIALS);
    const double busy = plan->trial_binning > 1 ? (double)plan->worker_count
                                                : (double)sino_smaller(plan->partition_count, plan->worker_count);
    const double all_s = iteration_s * sino_plan_busy_share(plan) * (double)panel / (double)plan->slowest_slices;
    return share * gain * (double)request->job.trial_iterations * all_s * (double)plan->worker_count / busy;
}

/* Time at most of the search for numbers of iterations, by both halves of the slices that each volume has searched
 * (recon_halves.c). Batch groups share them. */
static double iterations_search_s(const SinoPlanRequest *request, const SinoRunPlan *plan, double iteration_s)
{
    enum { SEARCHED = 5, HALVES = 2 };
    const int64_t slices = sino_smaller(SEARCHED, request->job.slice_count);
    const int64_t share = sino_ceil_divide(slices, sino_larger(plan->grid.batch_groups, 1));
    return (double)request->job.history_columns * panel_time(plan, iteration_s, HALVES * share);
}

static double search_time(const SinoPlanRequest *request, const SinoRunPlan *plan, const SinoForecastTimes *times)
{
    if (request->job.halved) return iterations_search_s(request, plan, times->iteration);
    if (plan->trial_binning == 0) return 0;
    return strength_search_s(request, plan, times->iteration);
}

/* Time of what follows the last iterations (SinoFinishWork), by the rates of iterations. */
static double finish_time(const SinoPlanRequest *request, const SinoRunPlan *plan, const SinoForecastTimes *times)
{
    const SinoFinishWork *work = &request->job.finish;
    const SinoRates *rates = &request->machine.rates;
    const double workers = (double)plan->worker_count / worker_share(request, plan);
    const double busy = fmin(workers, (double)sino_times(work->tasks, plan->streaming.slots));
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double voxels = (double)plan->size.shape.extent[SINO_ROWS_VOXELS].total * (double)plan->slowest_slices / giga;
    if (work->tasks == 0) return 0;
    return work->backprojections * times->kernel / DIRECTIONS + work->flops * voxels / (rates->kernel_gflops * busy) +
           work->vectors * element * voxels / (rates->memory_gbps * workers);
}

/* The run on devices, beside whose work messages may pass. */
static SinoStatus predict_devices(const SinoPlanRequest *request, const SinoRunPlan *plan, SinoForecastTimes *times)
{
    const bool overlaps = request->choices.overlap && plan->streaming.slots > 1;
    const double product_pairs = (double)(request->job.history_columns - 1) + 0.5;
    SinoScheduleTimes schedule;
    SINO_TRY(sino_schedule_times(request, plan, &schedule));
    times->iteration = overlaps ? overlapped(schedule.iteration, times->global, minibatch_count(plan))
                                : schedule.iteration + times->global;
    times->search = search_time(request, plan, times);
    times->run = times->search + schedule.run + product_pairs * (times->iteration - schedule.iteration) + times->finish;
    return NULL;
}

static SinoStatus predict(const SinoPlanRequest *request, const SinoRunPlan *plan, const SinoProductTimes *products,
                          SinoForecastTimes *result)
{
    const SinoWorkload *job = &request->job;
    const double size = (double)job->problem.geometry.grid_size;
    SinoForecastTimes times = {.global = predict_global(request, plan)};
    predict_local(request, plan, products, &times);
    const double local = times.kernel + times.update + times.socket + times.node;
    times.iteration = request->choices.overlap && plan->streaming.slots > 1
                          ? overlapped(local, times.global, minibatch_count(plan))
                          : local + times.global;
    times.finish = finish_time(request, plan, &times);
    times.files = (double)job->slice_count * ((double)job->slice_bytes + size * size * sizeof(float)) /
                  (request->machine.rates.file_gbps * giga);
    if (sino_schedule_serves(&request->machine)) {
        *result = times;
        return predict_devices(request, plan, result);
    }
    /* One backprojection precedes the first iteration. */
    const double product_pairs = (double)(job->history_columns - 1) + 0.5;
    times.search = search_time(request, plan, &times);
    times.run = times.search + overlapped(product_pairs * times.iteration + times.finish, times.files,
                                          (double)plan->streaming.slab_count);
    *result = times;
    return NULL;
}

/* A forecast with the choices of the request. */
static SinoStatus forecast_choices(const SinoPlanRequest *request, SinoForecast *forecast)
{
    SINO_TRY(sino_run_plan_new(request, &forecast->plan));
    forecast->products = sino_product_times(&forecast->plan, request->machine.costs, SINO_DEVICE_CPU);
    SinoStatus status = predict(request, &forecast->plan, &forecast->products, &forecast->times);
    if (status) sino_run_plan_free(&forecast->plan);
    return status;
}

/* Replaces the forecast by one with other choices, if that is possible and faster by more than forecasts tell apart. */
static SinoStatus try_choices(const SinoPlanRequest *request, int64_t partitions, int64_t minibatch,
                              SinoForecast *forecast)
{
    const double faster = 0.9;
    SinoPlanRequest other = *request;
    SinoForecast tried = {0};
    other.choices.partitions = partitions;
    other.choices.minibatch = minibatch;
    SinoStatus status = forecast_choices(&other, &tried);
    if (status && sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    const bool take = !status && tried.times.run < faster * forecast->times.run;
    sino_status_free(status);
    if (take) {
        sino_forecast_free(forecast);
        *forecast = tried;
    } else
        sino_forecast_free(&tried);
    return NULL;
}

/* Where devices with known rates compute, other partitions may be faster than one for each device, since sums over
 * partitions travel; and then smaller minibatches, so that each device has some. */
static SinoStatus improve(const SinoPlanRequest *request, SinoForecast *forecast)
{
    const SinoChoices *choices = &request->choices;
    const SinoOperatorKind *kind = sino_operator_kind(&request->job.problem);
    const int64_t most = 2 * request->machine.devices.count;
    enum { LEAST_MINIBATCH = 16 };
    if (request->least || !kind->stores || !sino_schedule_serves(&request->machine)) return NULL;
    const bool given = choices->partitions || choices->topology.workers;
    for (int64_t p = 1; p <= most && !given; p *= 2) SINO_TRY(try_choices(request, p, choices->minibatch, forecast));
    for (int64_t m = forecast->plan.streaming.minibatch / 2; m >= LEAST_MINIBATCH && !choices->minibatch; m /= 2)
        for (int64_t p = given ? most : 1; p <= most; p *= 2)
            SINO_TRY(try_choices(request, given ? choices->partitions : p, m, forecast));
    return NULL;
}

/* A forecast for one way of storing A, or for a projector that stores nothing. */
static SinoStatus forecast_way(const SinoPlanRequest *request, bool symmetry, SinoForecast *forecast)
{
    SinoPlanRequest way = *request;
    way.job.problem.symmetry = symmetry;
    way.job.problem.projector = sino_operator_of(way.job.problem.projector)->projector;
    SINO_TRY(forecast_choices(&way, forecast));
    SinoStatus status = improve(&way, forecast);
    if (status) sino_forecast_free(forecast);
    return status;
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
    if (problem->geometry.grid_size % 2 == 1) return "symmetry needs an even --volume";
    return problem->subset_count > 1 ? "no quarter turns or mirror images within a subset"
                                     : "no quarter turns or mirror images among the angles";
}

/* Whether rays of any angle are quarter turns or mirror images of another angle's. */
static bool has_orbits(const SinoProblem *problem)
{
    SinoLayout layout;
    SinoStatus status = sino_layout_new(&problem->geometry, problem->precision, true, &layout);
    const bool has = status || __builtin_popcount(layout.orientations) > 1;
    if (!status) sino_layout_free(&layout);
    sino_status_free(status);
    return has;
}

/* The forecast with the projector of the request; AUTO: rays. */
static SinoStatus forecast_projector(const SinoPlanRequest *request, SinoForecast *result)
{
    SinoForecast forecast = {0};
    SinoStatus status = forecast_way(request, request->job.problem.symmetry, &forecast);
    const bool shared = request->rank_count > 1 && (status || forecast.plan.grid.data_ranks > 1);
    const bool may = request->job.problem.symmetry && shared;
    if (may && (status ? has_orbits(&request->job.problem) : forecast.plan.size.orientations > 1))
        return choose(request, &forecast, status, result);
    if (status) return status;
    snprintf(forecast.symmetry_why, sizeof forecast.symmetry_why, "%s", why_single(request, &forecast.plan));
    *result = forecast;
    return NULL;
}

/* Whether the plan may choose a kind that stores nothing, in place of rays. The user must leave the choice to the plan,
 * and no ray lengths are kept on disk for other runs. Iterative solvers take kinds that project, or the normal operator
 * where it solves the same problem; methods without iterations take kinds that only backproject. */
static bool may_take(const SinoPlanRequest *request, const SinoOperatorKind *kind)
{
    const SinoProblem *problem = &request->job.problem;
    const bool may = problem->projector == SINO_PROJECTOR_AUTO && !kind->asked && problem->precision == SINO_SINGLE &&
                     !problem->cone && !request->choices.kept && sino_plan_has_kernels(&request->machine.devices, kind);
    if (kind->normal) return may && request->normal;
    return may && request->job.solver->iterative == (kind->project != NULL);
}

/* Seconds of a worker's time below which the plan keeps to rays, so that small scans give the same values in any number
 * of slices. */
static const double least_saving_s = 0.5;

static void explain_projector(const SinoForecast *rays, SinoStatus rays_status, double rays_s, double other_s,
                              SinoForecast *taken)
{
    char time[SINO_DURATION_SIZE], other_time[SINO_DURATION_SIZE];
    const SinoOperatorKind *kind = sino_operator_of(taken->plan.problem.projector);
    const SinoOperatorKind *before = rays_status ? NULL : sino_operator_of(rays->plan.problem.projector);
    const char *weights = kind->normal ? "; rays have no weights then, and values without one are interpolated" : "";
    char *why = taken->projector_why;
    sino_duration_text(rays_s, time);
    sino_duration_text(other_s, other_time);
    if (rays_status)
        snprintf(why, sizeof taken->projector_why, "%s, because ray lengths do not do (--projector rays: %s)",
                 kind->name, sino_status_text(rays_status));
    else if (kind->normal || !before->stores)
        snprintf(why, sizeof taken->projector_why,
                 "%s, about %s of work, because ray lengths do not fit memory and %s would take %s%s (--projector %s: "
                 "that)",
                 kind->name, other_time, before->name, time, weights, before->name);
    else
        snprintf(
            why, sizeof taken->projector_why,
            "%s, about %s of work; with ray lengths it would be %s, tracing included%s (--projector rays: trace them)",
            kind->name, other_time, time,
            rays->plan.window_count > 0 ? ", again and again, because they do not fit memory" : "");
}

/* Products without a matrix take long. Those with the normal operator do not, but change values, so that the user
 * decides where the request does not let the plan do so. */
static void offer_normal(const SinoPlanRequest *request, SinoForecast *taken)
{
    const SinoSolver *solver = request->job.solver;
    const SinoOperatorKind *of = sino_operator_of(taken->plan.problem.projector), *kind;
    const size_t length = strlen(taken->projector_why);
    const bool serves = !solver->volume && !solver->weighted && taken->plan.grid.data_ranks == 1 && !request->normal;
    for (int i = 0; (kind = sino_operator_unstored(i)); i++)
        if (kind->normal && serves && length > 0 && !of->stores && of->project &&
            sino_solver_exists(solver->choice, kind) && sino_plan_has_kernels(&request->machine.devices, kind))
            snprintf(taken->projector_why + length, sizeof taken->projector_why - length,
                     "; --projector %s takes far less time, for objects within the detector and without weights of "
                     "rays",
                     kind->name);
}

/* The request for a kind. */
static SinoPlanRequest way_by(const SinoPlanRequest *request, const SinoOperatorKind *kind)
{
    SinoPlanRequest way = *request;
    if (kind->normal && request->normal) way.job = *request->normal;
    way.job.problem.projector = kind->projector;
    return way;
}

/* The least memory of a kind; INT64_MAX: it is refused for another reason. */
static int64_t least_bytes(const SinoPlanRequest *request, const SinoOperatorKind *kind)
{
    SinoForecast forecast;
    SinoPlanRequest least = way_by(request, kind);
    least.least = true;
    least.machine.memory_bytes = INT64_MAX;
    SinoStatus status = forecast_projector(&least, &forecast);
    if (status) {
        sino_status_free(status);
        return INT64_MAX;
    }
    const int64_t bytes = forecast.plan.resources.total_bytes;
    sino_forecast_free(&forecast);
    return bytes;
}

/* Of two refusals, the one of the kind that asks for less memory: of kind `number` without storage, or of those before
 * it, rays among them. Consumes the other. */
static SinoStatus lesser_refusal(const SinoPlanRequest *request, int number, SinoStatus before, SinoStatus other)
{
    int64_t bytes = least_bytes(request, sino_operator_of(SINO_PROJECTOR_RAYS));
    for (int i = 0; i < number; i++)
        if (may_take(request, sino_operator_unstored(i)))
            bytes = sino_smaller(bytes, least_bytes(request, sino_operator_unstored(i)));
    const bool take_other = least_bytes(request, sino_operator_unstored(number)) < bytes;
    sino_status_free(take_other ? before : other);
    return take_other ? other : before;
}

/* Whether another projector does better than the one that was chosen before, for which there are forecasts. The least
 * memory is all that counts where it is asked for. Iterative methods keep to ray lengths, kept or computed in every
 * product, where these fit memory: they are the more exact; and change to a method without weights of rays only if that
 * saves half of the work. */
static bool is_better(const SinoPlanRequest *request, const SinoForecast *other, double other_s,
                      const SinoForecast *before, double before_s)
{
    const bool fits = sino_operator_of(before->plan.problem.projector)->stores && before->plan.window_count == 0;
    const bool lengths = sino_operator_of(other->plan.problem.projector)->lengths;
    if (request->least) return other->plan.resources.total_bytes < before->plan.resources.total_bytes;
    if (!request->job.solver->iterative || (lengths && fits)) return other_s + least_saving_s < before_s;
    if (sino_operator_is_normal(other->plan.problem.projector)) return !fits && 2 * other_s <= before_s;
    return !fits && other_s < before_s;
}

static SinoProjectorCost cost_of(const SinoPlanRequest *way, const SinoForecast *forecast)
{
    return (SinoProjectorCost){.known = true,
                               .work_s = sino_projector_job_s(&way->job, &forecast->plan, &way->machine),
                               .run_s = forecast->times.run + sino_projector_trace_s(&forecast->plan, &way->machine) /
                                                                  (double)sino_larger(forecast->plan.worker_count, 1),
                               .memory_bytes = forecast->plan.resources.total_bytes};
}

/* Replaces the forecast by the kind that was chosen before, or its refusal `status`, if kind `number` without storage
 * does better. Consumes `status`. */
static SinoStatus try_kind(const SinoPlanRequest *request, int number, SinoStatus status, SinoForecast *chosen)
{
    const SinoOperatorKind *kind = sino_operator_unstored(number);
    SinoForecast other = {0};
    if (status && sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    const SinoPlanRequest way = way_by(request, kind);
    SinoStatus refusal = forecast_projector(&way, &other);
    if (refusal && status) return lesser_refusal(request, number, status, refusal);
    sino_status_free(refusal);
    if (refusal) return NULL;
    const double before_s = status ? 0 : chosen->cost[chosen->plan.problem.projector].work_s;
    chosen->cost[kind->projector] = cost_of(&way, &other);
    const double other_s = chosen->cost[kind->projector].work_s;
    if (!status && !is_better(request, &other, other_s, chosen, before_s)) {
        sino_forecast_free(&other);
        return NULL;
    }
    explain_projector(chosen, status, before_s, other_s, &other);
    memcpy(other.cost, chosen->cost, sizeof other.cost);
    if (!status) sino_forecast_free(chosen);
    sino_status_free(status);
    *chosen = other;
    return NULL;
}

/* Tries the kinds that may take the place of rays, whose forecast or refusal is given. Of those that only backproject
 * the first that is better is taken: the others are slower, and are there for when memory is short. Consumes `status`.
 */
static SinoStatus try_kinds(const SinoPlanRequest *request, SinoStatus status, SinoForecast *chosen)
{
    const SinoOperatorKind *kind;
    for (int i = 0; (kind = sino_operator_unstored(i)); i++) {
        if (!may_take(request, kind)) continue;
        status = try_kind(request, i, status, chosen);
        if (!kind->project && !status && chosen->plan.problem.projector == kind->projector) break;
    }
    return status;
}

/* Where ray lengths fit, the normal operator changes values by more than rounding, for better or worse
 * (docs/lab/projectors.md), and machines would differ: the user decides, by a run that is at least twice as fast, and
 * by seconds. */
static void hint_at_normal(const SinoPlanRequest *request, SinoForecast *taken)
{
    const double least_s = 2;
    const SinoProjectorCost *cost = &taken->cost[SINO_PROJECTOR_TOEPLITZ];
    const SinoProjector projector = taken->plan.problem.projector;
    const double own_s = taken->cost[projector].run_s;
    char time[SINO_DURATION_SIZE], own_time[SINO_DURATION_SIZE], bytes[24];
    if (!request->normal || request->least || !cost->known || sino_operator_is_normal(projector)) return;
    if (2 * cost->run_s > own_s || own_s - cost->run_s < least_s) return;
    snprintf(taken->projector_hint, sizeof taken->projector_hint,
             "--projector toeplitz: about %s in %s, in place of %s; values differ (no weights of rays)",
             sino_duration_text(cost->run_s, time), sino_bytes_text(cost->memory_bytes, bytes),
             sino_duration_text(own_s, own_time));
}

SinoStatus sino_forecast_new(const SinoPlanRequest *request, SinoForecast *result)
{
    SinoForecast forecast = {0};
    SinoStatus status = forecast_projector(request, &forecast);
    if (!status) forecast.cost[forecast.plan.problem.projector] = cost_of(request, &forecast);
    status = try_kinds(request, status, &forecast);
    if (status) return status;
    offer_normal(request, &forecast);
    hint_at_normal(request, &forecast);
    *result = forecast;
    return NULL;
}

void sino_forecast_free(SinoForecast *forecast)
{
    sino_run_plan_free(&forecast->plan);
}
