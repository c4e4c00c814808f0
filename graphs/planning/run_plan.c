/* SPDX-License-Identifier: BSD-3-Clause */
/* Run plan: how a run divides its work into ranks, partitions, minibatches and slabs, and the memory that it needs. */
#include "run_plan.h"

#include "memory.h"
#include "rays_tasks.h"
#include "redundancy.h"
#include "resources.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Slices of a minibatch, which share each length of A: at least a panel. More slices cost memory and gain little
 * (docs/lab/kernels.md). */
enum { LEAST_DEFAULT_MINIBATCH = 16 };

/* A plan in the making. */
typedef struct Planner {
    const SinoPlanRequest *request;
    SinoProblem problem;
    const SinoOperatorKind *kind;
    SinoOperatorOutline outline;
    bool least;        /* plan one slice and one slot */
    SinoRunPlan *last; /* whose operator was sized last, since successive plans often divide a slice alike; not owned */
} Planner;

SinoChoices sino_choices_of(const SinoSettings *settings)
{
    return (SinoChoices){.minibatch = settings->runtime.minibatch,
                         .partitions = settings->runtime.partitions,
                         .grid = settings->team.grid,
                         .topology = settings->team.topology,
                         .devices = settings->runtime.devices,
                         .scheduler = settings->runtime.scheduler,
                         .direct = settings->team.communication == SINO_COMMUNICATION_DIRECT,
                         .kept = settings->projection.cache,
                         .overlap = settings->team.overlap,
                         .weight_count = settings->team.node_weights.count,
                         .rank_weight =
                             settings->team.node_weights.count > 0 ? settings->team.node_weights.value : NULL};
}

SinoPlanRequest sino_run_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoMachine *machine,
                                      int64_t rank_count, SinoNormalWork *normal)
{
    SinoPlanRequest request = {.job = sino_workload_of_input(settings, input),
                               .choices = sino_choices_of(settings),
                               .machine = *machine,
                               .rank_count = rank_count};
    if (input->uneven || !sino_settings_by_normal(settings, &normal->settings)) return request;
    normal->job = sino_workload_of_input(&normal->settings, input);
    request.normal = &normal->job;
    return request;
}

/* The size of minibatches of nearly equal size, without a small one at the end. */
static int64_t balanced(int64_t slices, int64_t minibatch)
{
    return sino_ceil_divide(slices, sino_ceil_divide(slices, sino_smaller(minibatch, slices)));
}

/* Slices of a minibatch that suit the cores: a panel; fewer if each worker then has a minibatch of its own. Minibatches
 * are independent, so workers that share one wait for each other several times per iteration. That costs more than
 * products lose when fewer slices share a length (docs/lab/kernels.md). */
static int64_t usual_minibatch(const Planner *planner, int64_t slices)
{
    const int64_t panel = sino_larger(sino_panel_width(planner->problem.precision), LEAST_DEFAULT_MINIBATCH);
    const int64_t workers = sino_larger(planner->request->machine.worker_count, 1);
    if (planner->kind->minibatch > 0)
        return sino_smaller(planner->kind->minibatch, sino_larger(sino_ceil_divide(slices, workers), 1));
    return sino_smaller(panel, sino_larger(sino_ceil_divide(slices, workers), LEAST_DEFAULT_MINIBATCH));
}

/* Slices of a minibatch, before memory is considered. */
static int64_t wanted_minibatch(const Planner *planner, int64_t slices)
{
    const SinoPlanRequest *request = planner->request;
    const int64_t suits = planner->outline.device_minibatch, most = request->machine.devices.slices;
    const int64_t of_devices = suits > 0 ? sino_smaller(suits, most) : most;
    const int64_t usual = of_devices ? of_devices : usual_minibatch(planner, slices);
    const int64_t wanted = planner->least ? 1 : usual;
    return balanced(slices, request->choices.minibatch ? request->choices.minibatch : wanted);
}

/* Partitions that the plan gives a rank at most, so that sockets have room to round them up. */
static int64_t most_partitions(int64_t data_ranks)
{
    enum { RANK_PARTITIONS_MAX = 4096 };
    return sino_smaller(RANK_PARTITIONS_MAX, sino_larger(SINO_PARTITIONS_MAX / 2 / data_ranks, 1));
}

/* Partitions of a rank if the topology leaves them open. Workers without a minibatch of their own share the minibatches
 * that exist: two products for each worker, so that a slow one leaves work to others, unless the choices say otherwise.
 * If devices compute, a minibatch is shared by all devices, if its products have partitions. */
static int64_t wanted_partitions(const Planner *planner, int64_t data_ranks, int64_t slices, int64_t minibatch)
{
    const SinoPlanRequest *request = planner->request;
    const int64_t devices = request->machine.devices.count, minibatches = sino_ceil_divide(slices, minibatch);
    const int64_t workers = devices > 0 ? devices : request->machine.worker_count;
    if (request->choices.partitions) return request->choices.partitions;
    if (minibatches >= workers || (devices > 0 && planner->kind->normal)) return 1;
    const int64_t each = request->choices.worker_products ? request->choices.worker_products : 2;
    const int64_t wanted = devices > 0 ? workers : sino_ceil_divide(sino_times(each, workers), minibatches);
    return sino_smaller(wanted, most_partitions(data_ranks));
}

/* Whether all slices of a rank are solved together, in one slab. */
static bool is_whole(const Planner *planner)
{
    return planner->request->job.solver->volume || planner->request->job.solver->blocks;
}

/* Useful slots: two per worker, so that some minibatches are stored or corrected while others compute. Slabs get nearly
 * equal sizes. Slices that are solved together need all slots. */
static int64_t wanted_slots(const Planner *planner, int64_t slices, int64_t minibatch, int64_t worker_count)
{
    const int64_t minibatches = sino_ceil_divide(slices, minibatch);
    const int64_t most = planner->least ? 1 : 2 * worker_count;
    if (is_whole(planner)) return minibatches;
    return sino_ceil_divide(minibatches, sino_ceil_divide(minibatches, most));
}

static bool divides_alike(const SinoDivision *a, const SinoDivision *b)
{
    const SinoTopology *p = &a->topology, *q = &b->topology;
    return p->rank_count == q->rank_count && p->node_count == q->node_count && p->sockets == q->sockets &&
           p->workers == q->workers && a->rank_weight == b->rank_weight && a->mean_weight == b->mean_weight &&
           a->direct == b->direct;
}

/* Chooses a hierarchy with at least rank_partitions partitions per rank, and computes the operator's size. */
static SinoStatus divide(const Planner *planner, int64_t data_ranks, int64_t rank_partitions, SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    const SinoTopologyRequest wanted = {.shape = request->choices.topology,
                                        .rank_count = data_ranks,
                                        .rank_partitions = rank_partitions,
                                        .machine_sockets = request->machine.socket_count};
    SINO_TRY(sino_topology_new(&wanted, &plan->division.topology));
    plan->partition_count = sino_topology_rank_partitions(&plan->division.topology);
    plan->worker_count = request->machine.worker_count ? request->machine.worker_count : plan->partition_count;
    if (plan->worker_count == planner->last->worker_count && divides_alike(&plan->division, &planner->last->division)) {
        plan->size = planner->last->size;
        return NULL;
    }
    SINO_TRY(planner->kind->size(&planner->problem, &plan->division, plan->worker_count, &plan->size));
    *planner->last = *plan;
    return NULL;
}

/* Fills in the members of the plan that follow from division, minibatch and slots. */
static void complete(const Planner *planner, int64_t minibatch, int64_t slots, SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    plan->streaming = sino_streaming(planner->problem.precision, plan->group_slices, minibatch, slots);
    plan->resources = sino_resources(&request->job, &plan->size, &request->machine, &plan->streaming,
                                     plan->division.topology.rank_count, plan->window_count);
}

static bool fits(const SinoRunPlan *plan)
{
    return plan->resources.total_bytes <= plan->budget_bytes;
}

/* Projections of a half acquisition are completed by the opposite ones (redundancy.h), which a rank that has a part of
 * the angles lacks. Blocks of angles that come are not divided further. */
static const char *whole_slices(const SinoPlanRequest *request)
{
    const SinoSolver *solver = request->job.solver;
    if (solver->choice == SINO_ALGORITHM_FBP && sino_redundancy_width(&request->job.problem.geometry) > 0)
        return "fbp completes projections of a half acquisition by the opposite ones";
    if (request->job.halved) return "--iterations auto divides projections into halves";
    if (solver->blocks) return "--follow adds projections to whole slices";
    return solver->whole_slices;
}

/* What lets ranks share slices that they otherwise need whole. */
static const char *sharing(const SinoPlanRequest *request)
{
    if (request->job.halved) return "a number of --iterations";
    if (request->job.solver->blocks) return "a run without --follow";
    return request->job.solver->normal ? "--algorithm cg by --projector rays" : "--algorithm cg";
}

/* The refusal of slices that are solved together. */
static SinoStatus too_many_slices(const Planner *planner, const SinoRunPlan *plan)
{
    char budget[24], total[24];
    const bool ranks = planner->request->rank_count > 1, blocks = planner->request->job.solver->blocks;
    const char *const more = ranks ? ", more ranks" : ", several ranks";
    return sino_error(SINO_BAD_INPUT,
                      "memory is %s%s; %s needs all %" PRId64 " slices%s at a time: %s; allowed: --memory %" PRId64
                      "MiB or more%s, fewer slices (--start-row, --end-row), or %s",
                      sino_bytes_text(plan->budget_bytes, budget), ranks ? " per rank" : "",
                      blocks ? "--follow" : "--prior-dimensions 3", plan->group_slices, ranks ? " of a rank" : "",
                      sino_bytes_text(plan->resources.total_bytes, total), (plan->resources.total_bytes >> 20) + 1,
                      more, blocks ? "a run without --follow" : "--prior-dimensions 2");
}

static SinoStatus too_little(const Planner *planner, const SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    if (is_whole(planner)) return too_many_slices(planner, plan);
    const SinoGeometry *geometry = &planner->problem.geometry;
    const SinoResources *bytes = &plan->resources;
    char budget[24], total[24], operator_text[24], lengths[80] = "";
    if (bytes->operator_bytes > 0)
        snprintf(lengths, sizeof lengths, "%s of it for the ray lengths of ",
                 sino_bytes_text(bytes->operator_bytes + bytes->lists_bytes, operator_text));
    sino_bytes_text(plan->budget_bytes, budget);
    sino_bytes_text(bytes->total_bytes, total);
    if (request->rank_count > 1 && whole_slices(request))
        return sino_error(SINO_BAD_INPUT,
                          "memory is %s per rank; a rank needs %s, for %s; allowed: --memory %" PRId64
                          "MiB or more, or %s, with which ranks can share a slice",
                          budget, total, whole_slices(request), (bytes->total_bytes >> 20) + 1, sharing(request));
    if (request->rank_count > 1)
        return sino_error(SINO_BAD_INPUT,
                          "memory is %s per rank; with %" PRId64 " ranks per slice a rank needs %s; allowed: "
                          "--memory %" PRId64 "MiB or more, or more ranks per slice",
                          budget, plan->division.topology.rank_count, total, (bytes->total_bytes >> 20) + 1);
    return sino_error(SINO_BAD_INPUT,
                      "%s %s; this reconstruction needs at least %s (%s%" PRId64 " angles and %" PRId64
                      " columns%s); allowed: --memory %" PRId64 "MiB or more%s",
                      request->machine.memory_given ? "memory is" : "memory is not given and this machine has", budget,
                      total, lengths, geometry->angle_count, geometry->column_count,
                      bytes->lists_bytes ? ", and its lists for devices" : "", (bytes->total_bytes >> 20) + 1,
                      bytes->lists_bytes ? ", or --device cpu" : "");
}

/* Reduces slots first, then slices of a minibatch, until the plan fits memory. Slices that are solved together take up
 * less room in smaller minibatches by their padding and by scratch memory of stages alone. */
static SinoStatus shrink(const Planner *planner, int64_t minibatch, int64_t slots, SinoRunPlan *plan)
{
    for (complete(planner, minibatch, slots, plan); !fits(plan); complete(planner, minibatch, slots, plan)) {
        if (slots > 1 && !is_whole(planner))
            slots--;
        else if (!planner->request->choices.minibatch && minibatch > 1)
            minibatch = balanced(plan->group_slices, minibatch / 2);
        else
            return too_little(planner, plan);
        if (is_whole(planner)) slots = sino_ceil_divide(plan->group_slices, minibatch);
    }
    return NULL;
}

/* What of the speed of products remains: the share of a rank's workers that have one to compute, as each partition of
 * each minibatch in flight is a task, and the rate of the kernels with minibatches of this size. */
static double speed_share(const SinoRunPlan *plan)
{
    return sino_plan_busy_share(plan) * sino_spmm_efficiency(plan->streaming.minibatch);
}

/* Replaces the plan by one with `partitions` per rank if that fits memory and is faster. */
static SinoStatus try_partitions(const Planner *planner, int64_t data_ranks, int64_t partitions, int64_t minibatch,
                                 int64_t slots, SinoRunPlan *plan)
{
    SinoRunPlan shared = *plan;
    SINO_TRY(divide(planner, data_ranks, partitions, &shared));
    SinoStatus refusal = shrink(planner, minibatch, slots, &shared);
    if (!refusal && speed_share(&shared) > speed_share(plan)) *plan = shared;
    sino_status_free(refusal);
    return NULL;
}

/* Where memory has room for fewer minibatches than there are workers, more partitions let several workers share one, if
 * their partial sums cost less than the workers gain: two products for each worker, or one. */
static SinoStatus share_minibatches(const Planner *planner, int64_t data_ranks, int64_t minibatch, int64_t slots,
                                    SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    const bool leaves_open = !planner->least && !request->choices.partitions && request->machine.devices.count == 0;
    const int64_t in_flight = plan->streaming.slots;
    if (!leaves_open || sino_plan_busy_share(plan) >= 1) return NULL;
    for (int64_t each = 2; each >= 1; each--) {
        const int64_t wanted = sino_ceil_divide(sino_times(each, plan->worker_count), in_flight);
        const int64_t partitions = sino_smaller(wanted, most_partitions(data_ranks));
        SINO_TRY(try_partitions(planner, data_ranks, partitions, minibatch, slots, plan));
    }
    return NULL;
}

/* Cuts the slice into partitions for windows. They take turns, so the hierarchy has a single socket. */
static SinoStatus cut_windows(const Planner *planner, int64_t partition_count, SinoRunPlan *plan)
{
    plan->partition_count = partition_count;
    plan->division.topology =
        (SinoTopology){.rank_count = 1, .node_count = 1, .sockets = 1, .workers = partition_count};
    return planner->kind->size(&planner->problem, &plan->division, plan->worker_count, &plan->size);
}

/* Raises the number of partitions until one slot of `minibatch` slices fits. If none does, or the least memory is
 * wanted, the plan is the smallest one. Blocks in windows shrink with the number of partitions and footprints grow, so
 * that no plan is smaller once the memory has grown. */
static SinoStatus find_windows(const Planner *planner, int64_t minibatch, SinoRunPlan *plan)
{
    enum { WINDOW_PARTITIONS_MAX = 64 };
    SinoRunPlan smallest = *plan;
    const int64_t given = planner->request->choices.partitions;
    int64_t count = given ? given : sino_times(2, plan->window_count);
    for (bool is_first = true, goes_on = true; goes_on; is_first = false, count = sino_times(2, count)) {
        SINO_TRY(cut_windows(planner, count, plan));
        complete(planner, minibatch, 1, plan);
        const bool smaller = is_first || plan->resources.total_bytes <= smallest.resources.total_bytes;
        if (smaller) smallest = *plan;
        goes_on = smaller && !given && count < WINDOW_PARTITIONS_MAX && (planner->least || !fits(plan));
    }
    *plan = smallest;
    return NULL;
}

/* Plans the operator in windows: as few partitions as leave room for a reasonable minibatch, or for one slice. Every
 * block is traced again for each minibatch, so there is one slot with as many slices as fit. */
static SinoStatus plan_windows(const Planner *planner, SinoRunPlan *plan)
{
    const int64_t slices = plan->group_slices, given = planner->request->choices.minibatch;
    const int64_t fair = sino_smaller(LEAST_DEFAULT_MINIBATCH, slices), most = sino_smaller(slices, SINO_SLICES_MAX);
    plan->window_count = plan->worker_count + 1;
    SINO_TRY(find_windows(planner, given ? balanced(slices, given) : fair, plan));
    if (!fits(plan) && !given) SINO_TRY(find_windows(planner, 1, plan));
    if (!fits(plan)) return too_little(planner, plan);
    while (!given && plan->streaming.minibatch < most) {
        SinoRunPlan wider = *plan;
        complete(planner, sino_smaller(2 * plan->streaming.minibatch, most), 1, &wider);
        if (!fits(&wider)) break;
        *plan = wider;
    }
    complete(planner, balanced(slices, plan->streaming.minibatch), 1, plan);
    return NULL;
}

/* Raises the number of partitions and lowers the minibatch until two tasks fit a device. */
static SinoStatus suit_devices(const Planner *planner, int64_t data_ranks, int64_t *minibatch, SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    const SinoDeviceRoom *room = &request->machine.devices;
    const SinoPrecision precision = planner->problem.precision;
    bool splits = !request->choices.partitions;
    if (room->count == 0 || room->bytes == 0) return NULL;
    for (;;) {
        const SinoBatch batch = {sino_panel_stride(precision, *minibatch), request->job.history_numbers};
        const SinoDeviceNeed need = sino_device_need(&request->job.solver->vectors, &plan->size, batch);
        if (sino_device_room_of_tasks(room, need.lists, need.vectors) <= room->bytes) return NULL;
        const int64_t before = plan->partition_count, more = sino_times(2, before);
        const bool can_split = splits && more <= most_partitions(data_ranks) && plan->size.whole_vectors == 0;
        const bool can_shrink = !request->choices.minibatch && *minibatch > 1;
        /* Lists are reduced first, because a small minibatch is slow; then the larger of the two. */
        if (can_split && (need.lists >= need.vectors || !can_shrink || *minibatch <= LEAST_DEFAULT_MINIBATCH)) {
            SINO_TRY(divide(planner, data_ranks, more, plan));
            splits = plan->partition_count > before; /* a given topology leaves nothing open */
        } else if (can_shrink)
            *minibatch = balanced(plan->group_slices, (*minibatch + 1) / 2);
        else
            return sino_device_too_small(room, need, plan->partition_count, *minibatch);
    }
}

/* Replaces a plan of the least memory by one in windows, if that takes less. */
static SinoStatus lessen_by_windows(const Planner *planner, SinoRunPlan *plan)
{
    SinoRunPlan windows = *plan;
    windows.window_count = plan->worker_count + 1;
    SINO_TRY(find_windows(planner, 1, &windows));
    if (windows.resources.total_bytes < plan->resources.total_bytes) *plan = windows;
    return NULL;
}

/* Windows after the refusal of a whole operator, which would need whole_bytes. When windows do not fit either, the
 * refusal that asks for less memory is returned. Consumes `refusal`. */
static SinoStatus try_windows(const Planner *planner, SinoStatus refusal, int64_t whole_bytes, SinoRunPlan *plan)
{
    SinoStatus status = plan_windows(planner, plan);
    const bool keeps_refusal = status && whole_bytes < plan->resources.total_bytes;
    sino_status_free(keeps_refusal ? status : refusal);
    return keeps_refusal ? refusal : status;
}

/* The plan of a grid whose largest group has `group_slices` slices. */
static SinoStatus plan_group(const Planner *planner, int64_t group_slices, int64_t data_ranks, SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    int64_t minibatch = wanted_minibatch(planner, sino_larger(group_slices, 1));
    plan->problem = planner->problem;
    plan->group_slices = sino_larger(group_slices, 1);
    plan->division.direct = request->choices.direct;
    SINO_TRY(divide(planner, data_ranks, wanted_partitions(planner, data_ranks, plan->group_slices, minibatch), plan));
    SINO_TRY(suit_devices(planner, data_ranks, &minibatch, plan));
    const int64_t slots = wanted_slots(planner, plan->group_slices, minibatch, plan->worker_count);
    const SinoRunPlan whole = *plan;
    SinoStatus status = shrink(planner, minibatch, slots, plan);
    if (!status) status = share_minibatches(planner, data_ranks, minibatch, slots, plan);
    /* Windows are impossible if nothing is stored, ranks share slices, devices compute, data have subsets, or slices
     * are solved together. */
    const bool windows = whole.size.bytes > 0 && request->rank_count == 1 && request->machine.devices.count == 0 &&
                         planner->problem.subset_count == 1 && !is_whole(planner);
    if (!windows) return status;
    if (!status) return planner->least ? lessen_by_windows(planner, plan) : NULL;
    const int64_t whole_bytes = plan->resources.total_bytes;
    *plan = whole;
    return try_windows(planner, status, whole_bytes, plan);
}

/* Whether trials of strengths on averaged columns fit a device. */
static bool fits_devices(const SinoPlanRequest *request, const SinoOperatorKind *kind, const SinoOperatorSize *size)
{
    const SinoDeviceRoom *room = &request->machine.devices;
    const SinoBatch batch = sino_trial_batch(&request->job, kind);
    const SinoDeviceNeed need = sino_device_need(&request->job.solver->vectors, size, batch);
    return room->count == 0 || room->bytes == 0 ||
           sino_device_room_of_tasks(room, need.lists, need.vectors) <= room->bytes;
}

/* Adds the memory of trials of strengths on averaged columns, beside the operator and before data of slices exist. If
 * there is no room, all columns are tried, within the memory that there is. */
static SinoStatus plan_trials(const Planner *planner, SinoRunPlan *plan)
{
    const SinoPlanRequest *request = planner->request;
    const SinoWorkload *job = &request->job;
    SinoResources *bytes = &plan->resources;
    SinoOperatorSize size;
    const bool may = !request->least && planner->kind->lengths; /* interpolating images of half the side blurs them */
    plan->trial_binning = may ? job->trial_binning : sino_smaller(1, job->trial_binning);
    if (plan->trial_binning <= 1) return NULL;
    const SinoOperatorRequest op =
        sino_trial_operator(&planner->problem, plan->trial_binning, plan->worker_count, request->machine.devices.count);
    const SinoOperatorKind *kind = sino_operator_kind(&op.problem);
    SINO_TRY(kind->size(&op.problem, &op.division, plan->worker_count, &size));
    const int64_t trial_bytes = sino_trial_bytes(job, &op.problem, &size, &request->machine);
    const int64_t total =
        bytes->base_bytes + bytes->operator_bytes + bytes->lists_bytes + bytes->map_bytes + trial_bytes;
    if (total > plan->budget_bytes || !fits_devices(request, kind, &size)) {
        plan->trial_binning = 1;
        return NULL;
    }
    bytes->building_bytes = sino_larger(bytes->building_bytes, trial_bytes);
    bytes->total_bytes = sino_larger(bytes->total_bytes, total);
    return NULL;
}

static double mean_weight(const SinoChoices *choices)
{
    double mean = 0;
    for (int64_t r = 0; choices->rank_weight && r < choices->weight_count; r++)
        mean += choices->rank_weight[r] / (double)choices->weight_count;
    return mean;
}

/* Lower bound of the memory, without footprints. It suffices to reject most grids that do not fit. */
static int64_t least_bytes(const Planner *planner, int64_t slices, int64_t data_ranks)
{
    const SinoVectors *vectors = &planner->request->job.solver->vectors;
    SinoShape shape = {.precision = planner->problem.precision};
    const SinoBatch batch = {.stride = wanted_minibatch(planner, slices), .history_numbers = 1};
    shape.extent[SINO_ROWS_VOXELS] = sino_extent_one(planner->outline.voxel_count);
    shape.extent[SINO_ROWS_RAYS] = sino_extent_one(sino_geometry_ray_count(&planner->problem.geometry));
    return (planner->outline.bytes + sino_buffers_bytes(vectors->count, vectors->buffer, &shape, batch)) / data_ranks;
}

/* SinoRankBytes: the memory with as few slots as the exchange needs: two if it overlaps, else one. */
static SinoStatus rank_bytes(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes)
{
    const Planner *planner = context;
    const SinoPlanRequest *request = planner->request;
    const int64_t slices = sino_larger(sino_ceil_divide(request->job.slice_count, batch_groups), 1);
    SinoRunPlan plan = {.budget_bytes = INT64_MAX, .problem = planner->problem, .group_slices = slices};
    *bytes = least_bytes(planner, slices, data_ranks);
    if (*bytes > request->machine.memory_bytes) return NULL;
    const int64_t minibatch = wanted_minibatch(planner, slices);
    plan.division.rank_weight = request->choices.rank_weight;
    plan.division.mean_weight = mean_weight(&request->choices);
    plan.division.direct = request->choices.direct;
    SINO_TRY(divide(planner, data_ranks, wanted_partitions(planner, data_ranks, slices, minibatch), &plan));
    const bool overlaps = request->choices.overlap && !planner->least;
    const int64_t minibatches = sino_ceil_divide(slices, minibatch);
    complete(planner, minibatch, is_whole(planner) ? minibatches : overlaps ? sino_smaller(2, minibatches) : 1, &plan);
    *bytes = plan.resources.total_bytes;
    return NULL;
}

/* Chooses a grid in which two minibatches of a panel fit, else one in which one slice fits. */
static SinoStatus choose_grid(Planner *planner, SinoProcessGrid *grid)
{
    const SinoPlanRequest *request = planner->request;
    SinoProcessGridRequest wanted = {.shape = request->choices.grid,
                                     .rank_count = request->rank_count,
                                     .slice_count = request->job.slice_count,
                                     .node_count = request->choices.topology.nodes,
                                     .unit_count = planner->outline.unit_count,
                                     .rank_weight = request->choices.rank_weight,
                                     .rank_bytes = request->rank_count > 1 ? rank_bytes : NULL,
                                     .context = planner,
                                     .budget_bytes = request->machine.memory_bytes};
    const char *why = whole_slices(request);
    const bool whole = why && !wanted.shape.batch_groups && request->rank_count > 1;
    if (whole) wanted.shape = (SinoGridShape){request->rank_count, 1};
    SinoStatus status = sino_process_grid_new(&wanted, grid);
    if (!status && whole) snprintf(grid->why, sizeof grid->why, "each slice on one rank, as %s", why);
    if (!status || sino_status_exit_code(status) != SINO_BAD_INPUT || request->choices.minibatch || planner->least)
        return status;
    sino_status_free(status);
    planner->least = true;
    status = sino_process_grid_new(&wanted, grid);
    planner->least = false;
    return status;
}

/* The group that takes longest: most slices relative to its speed. */
static int64_t slowest_group(const SinoChoices *choices, const SinoProcessGrid *grid)
{
    int64_t slowest = 0;
    double most = 0;
    for (int64_t g = 0; g < grid->batch_groups; g++) {
        double speed = 0;
        for (int64_t d = 0; d < grid->data_ranks; d++)
            speed += choices->rank_weight ? choices->rank_weight[g * grid->data_ranks + d] : 1;
        const double duration = (double)sino_process_grid_slices(grid, g) / speed;
        if (duration <= most) continue;
        most = duration;
        slowest = g;
    }
    return slowest;
}

static SinoStatus check(const SinoPlanRequest *request)
{
    const int64_t weights = request->choices.weight_count;
    const SinoGeometry *scan = &request->job.problem.geometry;
    const int64_t subsets = request->job.problem.subset_count;
    int64_t rays;
    SINO_CHECK(subsets <= scan->angle_count, SINO_BAD_INPUT,
               "--subsets is %" PRId64 ", and the scan has %" PRId64 " angles; allowed: 1 to that many", subsets,
               scan->angle_count);
    SINO_CHECK(weights == 0 || weights == request->rank_count, SINO_BAD_INPUT,
               "--node-weights has %" PRId64 " numbers; allowed: one for each of the %" PRId64 " ranks", weights,
               request->rank_count);
    const char *why = whole_slices(request);
    SINO_CHECK(!why || request->choices.grid.data_ranks <= 1, SINO_BAD_INPUT,
               "--grid is %" PRId64 "x%" PRId64
               ", but %s, for which a rank needs whole slices; allowed: --grid Nx1, or %s",
               request->choices.grid.batch_groups, request->choices.grid.data_ranks, why, sharing(request));
    SINO_TRY(sino_multiply(scan->angle_count, scan->column_count, "rays", &rays));
    SINO_CHECK(rays <= UINT32_MAX, SINO_BAD_INPUT, "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays",
               scan->angle_count, scan->column_count);
    return NULL;
}

/* AᵀA is a convolution if every ray counts alike, and those beside the detector are 0. */
static SinoStatus check_normal(const SinoPlanRequest *request, const char *name)
{
    SINO_CHECK(!request->job.halved, SINO_BAD_INPUT,
               "--iterations is auto with --projector %s, which weighs no rays; allowed: a number, or --projector "
               "rays or rotate",
               name);
    SINO_CHECK(sino_redundancy_width(&request->job.problem.geometry) == 0, SINO_BAD_INPUT,
               "--projector is %s with a half acquisition; allowed: objects that lie within the detector at every "
               "angle, or --projector rays or rotate",
               name);
    return NULL;
}

bool sino_plan_has_kernels(const SinoDeviceRoom *devices, const SinoOperatorKind *kind)
{
    const bool cuda = devices->slices > 0; /* 0 for OpenCL devices */
    return devices->count == 0 || kind->kernels == SINO_KERNELS_OF_ALL ||
           (kind->kernels == SINO_KERNELS_OF_CUDA && cuda);
}

/* Matches the projector that the user names with the solver and the machine. */
static SinoStatus check_projector(const SinoPlanRequest *request)
{
    const SinoProblem *problem = &request->job.problem;
    const SinoOperatorKind *kind = sino_operator_of(problem->projector);
    char allowed[80];
    SINO_CHECK(kind->stores || problem->precision == SINO_SINGLE, SINO_BAD_INPUT,
               "--projector is %s with --precision %s; allowed: single, or --projector rays", kind->name,
               sino_precision_name(problem->precision));
    SINO_CHECK(sino_plan_has_kernels(&request->machine.devices, kind), SINO_BAD_INPUT,
               "--projector is %s where %s compute; allowed: --device cpu, or --projector rays or rotate", kind->name,
               kind->kernels == SINO_KERNELS_OF_CUDA ? "OpenCL devices" : "devices");
    sino_solver_names(kind, allowed, sizeof allowed);
    SINO_CHECK(sino_solver_fits(request->job.solver, kind), SINO_BAD_INPUT,
               "--projector is %s with --algorithm %s; allowed: %s, or another projector", kind->name,
               sino_algorithm_name(request->job.solver->choice), allowed);
    return kind->normal ? check_normal(request, kind->name) : NULL;
}

SinoStatus sino_run_plan_new(const SinoPlanRequest *request, SinoRunPlan *result)
{
    SinoRunPlan plan = {.budget_bytes = request->machine.memory_bytes}, last = {0};
    Planner planner = {.request = request,
                       .problem = request->job.problem,
                       .kind = sino_operator_kind(&request->job.problem),
                       .least = request->least,
                       .last = &last};
    SINO_TRY(check_projector(request));
    SINO_CHECK(planner.kind, SINO_BAD_INPUT,
               "no operator reconstructs a scan of %" PRId64 " angles; allowed: 1 or more",
               request->job.problem.geometry.angle_count);
    SINO_TRY(check(request));
    SINO_TRY(planner.kind->outline(&planner.problem, &planner.outline));
    SINO_TRY(choose_grid(&planner, &plan.grid));
    const int64_t slowest = slowest_group(&request->choices, &plan.grid);
    int64_t most = 0;
    for (int64_t g = 0; g < plan.grid.batch_groups; g++)
        most = sino_larger(most, sino_process_grid_slices(&plan.grid, g));
    plan.slowest_slices = sino_process_grid_slices(&plan.grid, slowest);
    if (request->choices.rank_weight)
        plan.division.rank_weight = request->choices.rank_weight + slowest * plan.grid.data_ranks;
    plan.division.mean_weight = mean_weight(&request->choices);
    plan.idle_ranks = sino_process_grid_idle(&plan.grid, planner.outline.unit_count);
    SinoStatus status = plan_group(&planner, most, plan.grid.data_ranks, &plan);
    if (!status) status = plan_trials(&planner, &plan);
    if (status)
        sino_run_plan_free(&plan);
    else
        *result = plan;
    return status;
}

void sino_run_plan_free(SinoRunPlan *plan)
{
    sino_process_grid_free(&plan->grid);
    *plan = (SinoRunPlan){0};
}

double sino_plan_busy_share(const SinoRunPlan *plan)
{
    const double tasks = (double)sino_times(plan->streaming.slots, plan->partition_count);
    return fmin(1, tasks / (double)plan->worker_count);
}

SinoRayExchangeShape sino_run_plan_shape(const SinoRunPlan *plan, int64_t rank)
{
    const SinoTopology *topology = &plan->division.topology;
    const int64_t group = sino_process_grid_group(&plan->grid, rank);
    const bool idle = sino_process_grid_is_idle(&plan->grid, rank);
    const int64_t first = idle ? 0 : group * plan->grid.data_ranks;
    return (SinoRayExchangeShape){.first_process = first,
                                  .data_rank = idle ? 0 : rank - first,
                                  .data_count = topology->rank_count,
                                  .nodes = topology->node_count / topology->rank_count,
                                  .sockets = topology->sockets,
                                  .workers = topology->workers,
                                  .direct = plan->division.direct,
                                  .idle = idle};
}
