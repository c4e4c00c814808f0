/* SPDX-License-Identifier: BSD-3-Clause */
/* Team: the processes of a run, how they share the slices and each slice among them, and which part this one has. */
#include "team.h"

#include "forecast.h"
#include "memory.h"
#include "platform.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the memory of a process depends on, for the choice of the grid. */
typedef struct Context {
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoSolver *solver;
    SinoPlanShare share;
} Context;

/* The least that a process needs: one slice at a time. */
static SinoStatus rank_bytes(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes)
{
    const Context *of = context;
    const int64_t slices = of->input->slice_count;
    SinoMemoryPlan plan;
    SinoSettings settings = *of->settings;
    SinoPlanShare share = of->share;
    settings.minibatch = 1;
    share.worker_count = 0;
    share.slice_count = (slices + batch_groups - 1) / batch_groups;
    share.data_count = data_ranks;
    share.budget_bytes = INT64_MAX;
    SINO_TRY(sino_memory_plan(&settings, of->input, of->solver, &share, 0, &plan));
    *bytes = plan.total_bytes;
    return NULL;
}

static const double *weights_of(const SinoSettings *settings)
{
    return settings->node_weights.count > 0 ? settings->node_weights.value : NULL;
}

static SinoStatus new_grid(const Context *context, int64_t process_count, SinoProcessGrid *grid)
{
    const SinoSettings *settings = context->settings;
    SinoLayout layout;
    SINO_CHECK(settings->node_weights.count == 0 || settings->node_weights.count == process_count, SINO_BAD_INPUT,
               "node-weights has %" PRId64 " numbers; needed: one for each of the %" PRId64 " processes",
               settings->node_weights.count, process_count);
    SINO_TRY(sino_layout_new(&context->input->geometry, settings->precision, settings->symmetry, &layout));
    const SinoProcessGridRequest request = {.shape = settings->grid,
                                            .rank_count = process_count,
                                            .slice_count = context->input->slice_count,
                                            .unit_count = sino_decomposition_units(&layout),
                                            .rank_weight = weights_of(settings),
                                            /* One process has windows when memory is short. */
                                            .rank_bytes = process_count > 1 ? rank_bytes : NULL,
                                            .context = context,
                                            .budget_bytes = context->share.budget_bytes};
    SinoStatus status = sino_process_grid_new(&request, grid);
    sino_layout_free(&layout);
    return status;
}

SinoStatus sino_team_new(SinoProcesses *processes, const SinoSettings *settings, const SinoInput *input,
                         const SinoSolver *solver, int64_t worker_count, SinoTeam *team)
{
    const int64_t rank = sino_processes_rank(processes), count = sino_processes_count(processes);
    SinoTeam made = {.processes = processes, .share = sino_plan_alone(settings, input, worker_count)};
    SINO_TRY(sino_processes_least(processes, &made.share.budget_bytes));
    SINO_TRY(sino_processes_largest(processes, &made.share.worker_count));
    const Context context = {settings, input, solver, made.share};
    SINO_TRY(sino_processes_agree(processes, new_grid(&context, count, &made.grid)));
    made.group = sino_process_grid_group(&made.grid, rank);
    if (made.group >= 0 && sino_process_grid_slices(&made.grid, made.group) == 0) made.group = -1;
    made.share.data_count = made.grid.data_ranks;
    made.share.slice_count = 0;
    for (int64_t g = 0; g < made.grid.batch_groups; g++) {
        const int64_t slices = sino_process_grid_slices(&made.grid, g);
        if (slices > made.share.slice_count) made.share.slice_count = slices;
    }
    *team = made;
    return NULL;
}

void sino_team_free(SinoTeam *team)
{
    sino_process_grid_free(&team->grid);
    free(team->partition_share);
    *team = (SinoTeam){0};
}

static SinoStatus share_partitions(SinoTeam *team, const SinoSettings *settings, const SinoTopology *topology)
{
    const double *weight = weights_of(settings);
    free(team->partition_share);
    team->partition_share = NULL;
    if (!weight || team->group < 0 || topology->rank_count == 1) return NULL;
    SINO_TRY(sino_allocate(sino_topology_partitions(topology), sizeof *team->partition_share, "shares of partitions",
                           &team->partition_share));
    sino_topology_shares(topology, weight + team->group * topology->rank_count, team->partition_share);
    return NULL;
}

/* Devices that all processes can be planned with: the fewest, the smallest. */
static SinoStatus agree_on_room(SinoProcesses *processes, SinoDeviceRoom *room)
{
    SINO_TRY(sino_processes_least(processes, &room->bytes));
    SINO_TRY(sino_processes_least(processes, &room->count));
    SINO_TRY(sino_processes_least(processes, &room->slices));
    SINO_TRY(sino_processes_largest(processes, &room->partition_count));
    SINO_TRY(sino_processes_largest(processes, &room->lists_bytes));
    return sino_processes_largest(processes, &room->block_bytes);
}

SinoStatus sino_team_plan(SinoTeam *team, const SinoRuntime *runtime, const SinoSettings *settings,
                          const SinoInput *input, const SinoSolver *solver, const SinoOperator *op,
                          SinoMemoryPlan *plan)
{
    int64_t operator_bytes = op ? op->bytes : 0;
    team->room = sino_device_room(runtime, op);
    team->share.room = &team->room;
    SINO_TRY(agree_on_room(team->processes, &team->room));
    SINO_TRY(sino_processes_largest(team->processes, &operator_bytes));
    SINO_TRY(sino_processes_agree(team->processes,
                                  sino_memory_plan(settings, input, solver, &team->share, operator_bytes, plan)));
    team->shape = sino_plan_shape(settings, plan);
    team->shape.idle = team->group < 0;
    team->shape.first_process = team->group * team->grid.data_ranks;
    team->shape.data_rank = sino_processes_rank(team->processes) - team->shape.first_process;
    if (team->shape.idle) team->shape.first_process = team->shape.data_rank = 0;
    return share_partitions(team, settings, &plan->topology);
}

/* The settings, with a machine's default rates, and this grid. */
static SinoStatus forecast_settings(const SinoTeam *team, const SinoSettings *settings, SinoSettings *wanted)
{
    char angles[] = "--angles=1", columns[] = "--columns=1", slices[] = "--slices=1";
    char *any_scan[] = {angles, columns, slices};
    SinoSettings *rates;
    SINO_TRY(sino_settings_read(SINO_VERB_PLAN, 3, any_scan, &rates));
    *wanted = *settings;
    wanted->grid = (SinoGridShape){team->grid.batch_groups, team->grid.data_ranks};
    wanted->kernel_gflops = rates->kernel_gflops;
    wanted->memory_gbps = rates->memory_gbps;
    wanted->socket_gbps = rates->socket_gbps;
    wanted->node_gbps = rates->node_gbps;
    wanted->link_gbps = rates->link_gbps;
    wanted->link_latency_us = rates->link_latency_us;
    wanted->file_gbps = rates->file_gbps;
    sino_settings_free(rates);
    return NULL;
}

static SinoStatus forecast_symmetry(const SinoTeam *team, const SinoRuntime *runtime, const SinoSettings *settings,
                                    const SinoInput *input, const SinoSolver *solver, bool *symmetry)
{
    SinoForecast forecast;
    SinoSettings wanted;
    SINO_TRY(forecast_settings(team, settings, &wanted));
    SinoForecastRequest request = {.settings = &wanted,
                                   .solver = solver,
                                   .rank_count = sino_processes_count(team->processes),
                                   .worker_count = team->share.worker_count,
                                   .machine_sockets = sino_platform_socket_count(),
                                   .budget_bytes = team->share.budget_bytes};
    sino_forecast_take_input(input, &request);
    SinoStatus status = sino_forecast_new(&request, &forecast);
    if (status) { /* the plan itself will tell whether it fits */
        sino_status_free(status);
        return NULL;
    }
    *symmetry = forecast.symmetry;
    sino_log_info(sino_runtime_log(runtime), "plan", "%s", forecast.symmetry_why);
    sino_forecast_free(&forecast);
    return NULL;
}

SinoStatus sino_team_choose_symmetry(SinoTeam *team, const SinoRuntime *runtime, const SinoSettings *settings,
                                     const SinoInput *input, const SinoSolver *solver, bool *symmetry)
{
    SinoSettings compact = *settings;
    SinoMemoryPlan plan;
    if (!settings->symmetry || team->grid.data_ranks == 1) return NULL;
    SinoStatus status = NULL;
    if (sino_processes_rank(team->processes) == 0)
        status = forecast_symmetry(team, runtime, settings, input, solver, symmetry);
    SINO_TRY(sino_processes_agree(team->processes, status));
    SINO_TRY(sino_processes_broadcast(team->processes, (int64_t)sizeof *symmetry, symmetry));
    if (*symmetry) return NULL;
    compact.symmetry = false;
    status = sino_team_plan(team, runtime, &compact, input, solver, NULL, &plan);
    if (status) *symmetry = true;
    sino_status_free(status);
    return NULL;
}

void sino_team_take_slices(const SinoTeam *team, SinoInput *input)
{
    const int64_t *first = team->grid.first_slice;
    if (team->group < 0)
        sino_input_take_slices(input, 0, 0);
    else
        sino_input_take_slices(input, first[team->group], first[team->group + 1] - first[team->group]);
}
