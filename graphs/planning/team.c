/* SPDX-License-Identifier: BSD-3-Clause */
/* Team: the ranks of a run, and the part of the plan that this rank has. */
#include "team.h"

#include "arithmetic.h"
#include "projector_cost.h"
#include "simulation.h"

#include <stdlib.h>

/* Plans anew with weights by kept times, if the settings ask for them and every rank has some. */
static SinoStatus weigh_ranks(const SinoRuntime *runtime, SinoPlanRequest *request, SinoTeam *team)
{
    if (!team->settings.team.node_weights.measured || request->rank_count == 1) return NULL;
    SINO_TRY(sino_rank_speeds(runtime, team->processes, &team->forecast.plan, &team->weight));
    if (!team->weight) return NULL;
    request->choices.rank_weight = team->weight;
    request->choices.weight_count = request->rank_count;
    sino_forecast_free(&team->forecast);
    team->forecast = (SinoForecast){0};
    return sino_processes_agree(team->processes, sino_forecast_new(request, &team->forecast));
}

/* Whether tracing takes longer than what every rank traces takes to go round a ring. Cores trace, unless GPUs do. All
 * ranks decide alike: of the machine, only what they have agreed on is read. */
static bool is_worth_sharing(const SinoRunPlan *plan, const SinoMachine *machine, int64_t ranks)
{
    enum { TURNS = 8 }; /* of values, before and between those of A */
    const SinoRates *rates = &machine->rates;
    const bool gpus = !SINO_SIMULATES && machine->devices.slices > 0;
    const double rate = gpus ? (double)machine->devices.count * machine->file.device.gflops
                             : (double)machine->worker_count * machine->file.core.gflops;
    const SinoResources *bytes = &plan->resources;
    const double flops = sino_projector_trace_flops(plan) / (double)plan->grid.data_ranks;
    const double traced_s = flops / (1e9 * rate), saved_s = traced_s * (double)(ranks - 1) / (double)ranks;
    const double sent_s = (double)(bytes->operator_bytes + bytes->lists_bytes) / (1e9 * rates->link_gbps);
    return saved_s > sent_s + (double)(TURNS * (ranks - 1)) * 1e-6 * rates->link_latency_us;
}

/* Groups of ranks have the same partitions, so that ranks with the same number in each of some groups are a ring. */
static SinoRing ring_of(const SinoTeam *team, const SinoMachine *machine, int64_t rank)
{
    const SinoRunPlan *plan = &team->forecast.plan;
    const SinoProcessGrid *grid = &plan->grid;
    const int64_t groups = grid->batch_groups, rings = sino_ceil_divide(groups, SINO_RING_MAX);
    if (groups < 2 || team->group < 0 || plan->window_count > 0) return (SinoRing){0};
    if (team->division.rank_weight && grid->data_ranks > 1) return (SinoRing){0}; /* each group has other shares */
    for (int64_t g = 0; g < groups; g++)
        if (sino_process_grid_slices(grid, g) == 0) return (SinoRing){0};
    const int64_t ring = sino_times(team->group, rings) / groups;
    const int64_t first = sino_ceil_divide(sino_times(ring, groups), rings);
    const int64_t end = sino_ceil_divide(sino_times(ring + 1, groups), rings);
    if (end - first < 2 || !is_worth_sharing(plan, machine, end - first)) return (SinoRing){0};
    return (SinoRing){.count = end - first,
                      .own = team->group - first,
                      .first = first * grid->data_ranks + rank % grid->data_ranks,
                      .step = grid->data_ranks};
}

SinoStatus sino_team_new(const SinoRuntime *runtime, SinoProcesses *processes, const SinoSettings *settings,
                         const SinoInput *input, SinoTeam *team)
{
    const int64_t rank = sino_processes_rank(processes);
    SinoNormalWork normal;
    SinoMachine machine;
    SinoTeam made = {.processes = processes, .settings = *settings};
    SINO_TRY(sino_machine_here(settings, runtime, &machine));
    if (sino_simulation_machine()) machine.socket_count = sino_simulation_machine()->sockets;
    SINO_TRY(sino_machine_agree(processes, &machine));
    SinoPlanRequest request =
        sino_run_plan_request(settings, input, &machine, sino_processes_count(processes), &normal);
    SINO_TRY(sino_processes_agree(processes, sino_forecast_new(&request, &made.forecast)));
    SinoStatus status = weigh_ranks(runtime, &request, &made);
    if (status) {
        sino_team_free(&made);
        return status;
    }
    const SinoRunPlan *plan = &made.forecast.plan;
    if (request.normal && sino_operator_is_normal(plan->problem.projector)) made.settings = normal.settings;
    made.shape = sino_run_plan_shape(plan, rank);
    made.group = made.shape.idle ? -1 : sino_process_grid_group(&plan->grid, rank);
    made.division = plan->division;
    if (made.division.rank_weight && made.group >= 0)
        made.division.rank_weight = request.choices.rank_weight + made.group * plan->grid.data_ranks;
    made.ring = ring_of(&made, &machine, rank);
    if (made.forecast.projector_why[0])
        sino_log_info(sino_runtime_log(runtime), "plan", "projector: %s", made.forecast.projector_why);
    if (made.forecast.projector_hint[0])
        sino_log_info(sino_runtime_log(runtime), "plan", "faster: %s", made.forecast.projector_hint);
    if (plan->grid.data_ranks > 1) sino_log_info(sino_runtime_log(runtime), "plan", "%s", made.forecast.symmetry_why);
    *team = made;
    return NULL;
}

void sino_team_free(SinoTeam *team)
{
    sino_forecast_free(&team->forecast);
    free(team->weight);
    *team = (SinoTeam){0};
}

SinoOperatorRequest sino_team_operator(const SinoTeam *team, const SinoGeometry *geometry, const char *cache)
{
    const SinoRunPlan *plan = &team->forecast.plan;
    SinoOperatorRequest request = {.problem = plan->problem,
                                   .division = team->division,
                                   .shape = team->shape,
                                   .window_count = plan->window_count,
                                   .slots = plan->streaming.slots,
                                   .cache = cache,
                                   .ring = team->ring};
    request.problem.geometry = *geometry;
    return request;
}

void sino_team_take_slices(const SinoTeam *team, SinoInput *input)
{
    const int64_t *first = team->forecast.plan.grid.first_slice;
    if (team->group < 0)
        sino_input_take_slices(input, 0, 0);
    else
        sino_input_take_slices(input, first[team->group], first[team->group + 1] - first[team->group]);
}

/* Whether data of the first slab fit beside those of building the operator. */
static bool has_room(const SinoResources *bytes)
{
    const int64_t kept = bytes->base_bytes + bytes->operator_bytes + bytes->lists_bytes + bytes->map_bytes;
    return bytes->building_bytes > 0 &&
           bytes->building_bytes + bytes->slab_bytes + bytes->loading_bytes + bytes->record_bytes <=
               bytes->total_bytes - kept;
}

static SinoStatus load_early(SinoRuntime *runtime, const SinoTeam *team, const SinoInput *input, SinoEarlyLoad **early)
{
    SinoInput share = *input;
    const SinoRunPlan *plan = &team->forecast.plan;
    sino_team_take_slices(team, &share);
    if (plan->problem.block_angles > 0 || share.slice_count == 0 || plan->grid.data_ranks > 1 ||
        !has_room(&plan->resources))
        return NULL;
    return sino_early_load_new(runtime, &share, plan->streaming.slab_slices, early);
}

SinoStatus sino_team_open(SinoRuntime *runtime, const SinoTeam *team, const SinoInput *input, const char *cache,
                          SinoOperator **op, SinoEarlyLoad **early)
{
    const SinoOperatorRequest wanted = sino_team_operator(team, &input->geometry, cache);
    SinoStatus load_status = load_early(runtime, team, input, early);
    SinoStatus status = sino_operator_new(runtime, &wanted, op);
    if (status) {
        sino_status_free(load_status);
        return status;
    }
    if (*early) load_status = sino_runtime_wait_all(runtime);
    return sino_processes_agree(team->processes, load_status);
}
