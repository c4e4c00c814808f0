/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory plan: how many slices are fused, in flight and loaded at once, so that a run stays within its budget whatever
 * the number of slices. */
#include "memory_plan.h"

#include "memory.h"
#include "platform.h"

#include <inttypes.h>
#include <math.h>

/* Slices that share each length of A: a panel at least. More cost memory and gain little (docs/PERFORMANCE.md). */
enum { LEAST_DEFAULT_MINIBATCH = 16 };

typedef struct Need {
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoSolver *solver;
    const SinoPlanShare *share;
    int64_t operator_bytes, worker_count; /* the operator's: of this process */
    int64_t lists_bytes;                  /* that devices gather from, in main memory */
    int64_t unit_tiles;                   /* that stay in one partition */
} Need;

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

SinoPlanShare sino_plan_alone(const SinoSettings *settings, const SinoInput *input, int64_t worker_count)
{
    return (SinoPlanShare){.worker_count = worker_count,
                           .slice_count = input->slice_count,
                           .data_count = 1,
                           .budget_bytes = settings->memory_bytes ? settings->memory_bytes
                                                                  : sino_platform_available_bytes() / 10 * 8};
}

SinoExchangeShape sino_plan_shape(const SinoSettings *settings, const SinoMemoryPlan *plan)
{
    const SinoTopology *topology = &plan->topology;
    return (SinoExchangeShape){.data_count = topology->rank_count,
                               .nodes = topology->node_count / topology->rank_count,
                               .sockets = topology->sockets,
                               .workers = topology->workers,
                               .direct = settings->communication == SINO_COMMUNICATION_DIRECT};
}

/* The hierarchy of at least so many partitions per process. */
static SinoStatus shape_partitions(const Need *need, int64_t partition_count, SinoMemoryPlan *plan)
{
    const SinoTopologyRequest request = {.shape = need->settings->topology,
                                         .rank_count = need->share->data_count,
                                         .rank_partitions = partition_count,
                                         .machine_sockets = sino_platform_socket_count()};
    SINO_TRY(sino_topology_new(&request, &plan->topology));
    plan->partition_count = sino_topology_rank_partitions(&plan->topology);
    return NULL;
}

static int64_t history_columns(const Need *need)
{
    return need->solver->iterative ? need->settings->iterations + 1 : 1;
}

/* Of an operator's bytes. A share ends where a tile does, or an orbit of super-tiles, and those in the middle have more
 * nonzeros than most. */
static int64_t own_share(const Need *need, double share, int64_t operator_bytes)
{
    const double tiles = (double)sino_tile_voxels(need->input->geometry.grid_size) / SINO_TILE_VOXELS;
    if (share >= 1) return operator_bytes;
    return (int64_t)((double)operator_bytes * fmin(1, share + 1.3 * (double)need->unit_tiles / fmax(tiles, 1)));
}

/* The operator, or its windows. */
static int64_t resident_bytes(const Need *need, const SinoMemoryPlan *plan)
{
    if (plan->window_count == 0) return need->operator_bytes;
    const int64_t window = own_share(need, 1 / (double)plan->partition_count, need->operator_bytes);
    return window < need->operator_bytes / plan->window_count ? window * plan->window_count : need->operator_bytes;
}

/* Fills in everything that follows from minibatch, slots and partition_count. */
static void complete(const Need *need, SinoMemoryPlan *plan)
{
    const SinoInput *input = need->input;
    const SinoExchangeShape shape = sino_plan_shape(need->settings, plan);
    const int64_t angles = ceil_divide(input->geometry.angle_count, shape.data_count);
    plan->operator_bytes = resident_bytes(need, plan);
    plan->stride = sino_panel_stride(need->settings->precision, plan->minibatch);
    plan->slab_slices = plan->slots * plan->minibatch;
    if (plan->slab_slices > need->share->slice_count) plan->slab_slices = need->share->slice_count;
    plan->slab_count = ceil_divide(need->share->slice_count, plan->slab_slices);
    plan->slot_bytes = sino_minibatch_bytes(&input->geometry, need->settings->precision, &shape, plan->stride,
                                            need->solver->vectors, history_columns(need));
    const int64_t field = sino_input_field_bytes(input, plan->slab_slices);
    const int64_t field_count = input->flat_correction == SINO_FLAT_NONE ? 0 : 2;
    plan->slab_bytes = sino_input_slab_bytes(input, angles, plan->slab_slices) + field_count * field;
    const int64_t most_fields =
        input->info->flat_count > input->info->dark_count ? input->info->flat_count : input->info->dark_count;
    const int64_t loading = field_count > 0 ? most_fields * field : 0;
    const int64_t slabs = plan->slab_count > 1 ? 2 : 1;
    const int64_t run = input->slice_count * (history_columns(need) + 1) * 8 +
                        input->geometry.grid_size * input->geometry.grid_size * 8;
    /* The operator is built before anything else is there. */
    const int64_t building =
        sino_operator_building_bytes(&input->geometry, plan->partition_count, need->worker_count, need->operator_bytes);
    /* SIRT's weights are vectors of one slice. */
    const int64_t weights =
        sino_minibatch_bytes(&input->geometry, need->settings->precision, &shape, 1, need->solver->vectors, 1);
    const int64_t running = weights + plan->slots * plan->slot_bytes + slabs * plan->slab_bytes + loading + run;
    plan->total_bytes = sino_runtime_base_bytes() + plan->operator_bytes + need->lists_bytes +
                        (building > running ? building : running);
}

static int64_t default_minibatch(SinoPrecision precision)
{
    const int64_t panel = sino_panel_width(precision);
    return panel > LEAST_DEFAULT_MINIBATCH ? panel : LEAST_DEFAULT_MINIBATCH;
}

/* Minibatches of nearly equal size, none of a few slices only at the end. */
static void balance(const Need *need, SinoMemoryPlan *plan)
{
    const int64_t slices = need->share->slice_count;
    plan->minibatch = ceil_divide(slices, ceil_divide(slices, plan->minibatch));
}

static SinoStatus too_little(const Need *need, const SinoMemoryPlan *plan)
{
    char budget[24], total[24], operator_text[24];
    const char *origin = need->settings->memory_bytes ? "memory is" : "memory is not given and this machine has";
    return sino_error(SINO_BAD_INPUT,
                      "%s %s; this reconstruction needs at least %s (%s of it for the operator of %" PRId64
                      " angles and %" PRId64 " columns%s); allowed: --memory %" PRId64 "MiB or more%s",
                      origin, sino_bytes_text(plan->budget_bytes, budget), sino_bytes_text(plan->total_bytes, total),
                      sino_bytes_text(plan->operator_bytes + need->lists_bytes, operator_text),
                      need->input->geometry.angle_count, need->input->geometry.column_count,
                      need->lists_bytes ? ", and its lists for devices" : "", (plan->total_bytes >> 20) + 1,
                      need->lists_bytes ? ", or --device cpu" : "");
}

/* Gives up slots first, then slices of a minibatch. */
static SinoStatus shrink(const Need *need, bool minibatch_given, SinoMemoryPlan *plan)
{
    complete(need, plan);
    while (plan->total_bytes > plan->budget_bytes) {
        if (plan->slots > 1) {
            plan->slots--;
        } else if (!minibatch_given && plan->minibatch > 1) {
            plan->minibatch /= 2;
            balance(need, plan);
        } else {
            return too_little(need, plan);
        }
        complete(need, plan);
    }
    return NULL;
}

/* Partitions of windows take turns, so they are not neighbours of a socket. */
static void set_partitions(int64_t count, SinoMemoryPlan *plan)
{
    plan->partition_count = count;
    plan->topology = (SinoTopology){.rank_count = 1, .node_count = 1, .sockets = 1, .workers = count};
}

/* The operator in windows: as few partitions as leave room for a fair minibatch, or for any. Every block is traced
 * again for each minibatch, so there is one slot, of as many slices as fit. */
static SinoStatus plan_windows(const Need *need, bool minibatch_given, SinoMemoryPlan *plan)
{
    enum { PARTITIONS_MAX = 64 };
    const int64_t slices = need->share->slice_count;
    const int64_t fair = 16 < slices ? 16 : slices, most = slices < SINO_SLICES_MAX ? slices : SINO_SLICES_MAX;
    const int64_t given = need->settings->partitions, wanted[] = {minibatch_given ? plan->minibatch : fair, 1};
    plan->slots = 1;
    plan->window_count = need->worker_count + 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        set_partitions(given ? given : 2 * plan->window_count, plan);
        plan->minibatch = minibatch_given ? plan->minibatch : wanted[attempt];
        for (complete(need, plan); plan->total_bytes > plan->budget_bytes; complete(need, plan)) {
            if (given || plan->partition_count >= PARTITIONS_MAX) break;
            set_partitions(2 * plan->partition_count, plan);
        }
        if (plan->total_bytes > plan->budget_bytes) continue;
        while (!minibatch_given && plan->minibatch < most) {
            SinoMemoryPlan larger = *plan;
            larger.minibatch = 2 * plan->minibatch < most ? 2 * plan->minibatch : most;
            complete(need, &larger);
            if (larger.total_bytes > larger.budget_bytes) break;
            *plan = larger;
        }
        balance(need, plan);
        complete(need, plan);
        return NULL;
    }
    return too_little(need, plan);
}

/* What is known before the operator is there. */
static SinoStatus look_ahead(Need *need)
{
    SinoLayout layout;
    SINO_TRY(sino_layout_new(&need->input->geometry, need->settings->precision, need->settings->symmetry, &layout));
    const int64_t images = __builtin_popcount(sino_orientation_group(layout.orientations));
    need->unit_tiles = images == 1 ? 1 : images * SINO_SUPER_TILE * SINO_SUPER_TILE;
    if (need->operator_bytes == 0)
        need->operator_bytes =
            own_share(need, 1.0 / (double)need->share->data_count, sino_operator_estimate_bytes(&layout));
    sino_layout_free(&layout);
    return NULL;
}

/* Partitions where devices compute: their tasks have to fit them. */
static SinoStatus suit_devices(Need *need, const SinoDeviceRoom *room, int64_t *partition_count, SinoMemoryPlan *plan)
{
    need->lists_bytes = room->lists_bytes ? room->lists_bytes : sino_device_estimate_lists(need->operator_bytes);
    if (room->partition_count) *partition_count = room->partition_count;
    SINO_TRY(sino_device_plan(need->settings, &need->input->geometry, need->solver, room, need->operator_bytes,
                              partition_count, &plan->minibatch));
    balance(need, plan);
    return NULL;
}

/* Minibatches, slots and partitions as they are best, before memory is looked at. */
static SinoStatus choose_shares(Need *need, SinoMemoryPlan *plan)
{
    const SinoSettings *settings = need->settings;
    const SinoDeviceRoom *room = need->share->room;
    const int64_t slices = need->share->slice_count, by_default = default_minibatch(settings->precision);
    const int64_t device_slices = room ? room->slices : 0, device_count = room ? room->count : 0;
    const int64_t worker_count = need->share->worker_count;
    plan->minibatch = settings->minibatch ? settings->minibatch : device_slices ? device_slices : by_default;
    if (plan->minibatch > slices) plan->minibatch = slices;
    balance(need, plan);
    /* Workers without a minibatch of their own share those there are; where devices compute, those count. */
    const int64_t workers = device_count > 0 ? device_count : worker_count;
    int64_t partition_count = settings->partitions                              ? settings->partitions
                              : ceil_divide(slices, plan->minibatch) >= workers ? 1
                                                                                : workers;
    if (device_count > 0) SINO_TRY(suit_devices(need, room, &partition_count, plan));
    /* Two slots per worker, so that some are stored or corrected while others compute; slabs of nearly equal size. */
    const int64_t minibatches = ceil_divide(slices, plan->minibatch);
    const int64_t slots = worker_count > 0 ? 2 * worker_count : 1;
    plan->slots = ceil_divide(minibatches, ceil_divide(minibatches, slots));
    return shape_partitions(need, partition_count, plan);
}

SinoStatus sino_memory_plan(const SinoSettings *settings, const SinoInput *input, const SinoSolver *solver,
                            const SinoPlanShare *share, int64_t operator_bytes, SinoMemoryPlan *result)
{
    const int64_t worker_count = share->worker_count;
    Need need = {.settings = settings,
                 .input = input,
                 .solver = solver,
                 .share = share,
                 .worker_count = worker_count > 0 ? worker_count : sino_platform_core_count(),
                 .operator_bytes = operator_bytes};
    SINO_TRY(look_ahead(&need));
    SinoMemoryPlan plan = {.budget_bytes = share->budget_bytes};
    SINO_TRY(choose_shares(&need, &plan));
    const SinoMemoryPlan wanted = plan;
    SinoStatus status = shrink(&need, settings->minibatch > 0, &plan);
    /* Processes that share each slice, and devices, need their part of the operator whole. */
    if (status && operator_bytes == 0 && share->data_count == 1 && need.lists_bytes == 0) {
        sino_status_free(status);
        plan = wanted;
        status = plan_windows(&need, settings->minibatch > 0, &plan);
    }
    if (!status) *result = plan;
    return status;
}
