/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedule: how long a planned run takes where devices compute, by a list schedule of its tasks. */
#include "schedule.h"

#include "arithmetic.h"
#include "device_plan.h"
#include "memory.h"
#include "projector_cost.h"
#include "task_cost.h"

#include <math.h>
#include <stdlib.h>

enum { DEVICES_MAX = 63, PARTS_MAX = 64, MINIBATCHES_MAX = 256, TURNS_MAX = 5, OPERANDS_MAX = 4 };

static const double giga = 1e9;

/* Bytes, and the memories that have them: bit 0 for main memory, bit 1 + d for device d. */
typedef struct Datum {
    double bytes;
    uint64_t valid;
} Datum;

/* A task with the data that it reads, and one that it writes. */
typedef struct Task {
    double flops, bytes;
    bool host; /* cores alone can run it */
    Datum *read[OPERANDS_MAX], *write;
} Task;

/* What one task of a kind has. */
typedef struct Amounts {
    double product_flops, product_bytes;  /* of a partition */
    double rays, voxels, partial, socket; /* bytes of a vector: of a minibatch, a partition, a footprint, a socket */
    double rays_moved, voxels_moved;      /* bytes of updates: of the rays, of a partition's voxels */
    double counts, image;                 /* bytes of a minibatch in files */
    int64_t parts, sockets;               /* of a rank */
    int64_t minibatches, slots, turns;
    bool normal; /* a product stands for both directions */
} Amounts;

/* A slot, and the next step of its minibatch. */
typedef struct Slot {
    int64_t minibatch, turn; /* turn 0 begins with line integrals; −1: the slot is done */
    double ready;
    Datum line, rays, image, *socket, *partial, *gradient, *direction, *state; /* owned by Schedule.data */
} Slot;

typedef struct Schedule {
    const SinoMachine *machine;
    Amounts of;
    SinoProcessorRates device;
    int64_t cores, devices;
    double *core_free; /* owned */
    double device_free[DEVICES_MAX], in_free[DEVICES_MAX], out_free[DEVICES_MAX], down_free, up_free, file_free;
    Datum *lists; /* [parts]; both directions; owned by data */
    Slot *slot;   /* owned */
    Datum *data;  /* owned */
    double *part_ready; /* [parts] of the slot whose turn it is; owned */
} Schedule;

/* ---- transfers ---- */

static uint64_t bit_of(int64_t node)
{
    return (uint64_t)1 << node;
}

/* The memory that a datum is fetched from; 0: main memory, where it is if nowhere else. */
static int64_t source_of(const Datum *datum)
{
    return datum->valid & 1 || !datum->valid ? 0 : __builtin_ctzll(datum->valid);
}

static double transfer_s(const Schedule *of, const Datum *datum, int64_t node)
{
    const SinoMachineFile *file = &of->machine->file;
    const int64_t from = source_of(datum);
    const SinoMachineLink *link = from > 0 && node > 0 ? &file->device_device : &file->host_device;
    return 1e-6 * link->latency_us + datum->bytes / (giga * link->gbps);
}

/* What a policy expects of the transfers of a task's data to a memory. */
static double expected_s(const Schedule *of, const Task *task, int64_t node)
{
    double sum = 0;
    for (int i = 0; i < OPERANDS_MAX; i++)
        if (task->read[i] && !(task->read[i]->valid & bit_of(node))) sum += transfer_s(of, task->read[i], node);
    return sum;
}

/* Copies a datum to a memory, beside what the links do already; returns when it is there. */
static double fetch(Schedule *of, Datum *datum, int64_t node, double ready)
{
    const int64_t from = source_of(datum);
    const double shared_s = datum->bytes / (giga * of->machine->file.host_gbps);
    double *shared = node == 0 ? &of->up_free : from == 0 ? &of->down_free : NULL;
    if (datum->valid & bit_of(node)) return ready;
    double begin = ready;
    if (from > 0) begin = fmax(begin, of->out_free[from - 1]);
    if (node > 0) begin = fmax(begin, of->in_free[node - 1]);
    double end = begin + transfer_s(of, datum, node);
    if (shared) end = fmax(end, *shared = fmax(*shared, begin) + shared_s);
    if (from > 0) of->out_free[from - 1] = end;
    if (node > 0) of->in_free[node - 1] = end;
    datum->valid |= bit_of(node);
    return end;
}

/* ---- tasks ---- */

static int64_t first_core(const Schedule *of)
{
    int64_t first = 0;
    for (int64_t c = 1; c < of->cores; c++)
        if (of->core_free[c] < of->core_free[first]) first = c;
    return first;
}

/* Runs a task, once `ready`, where it ends first; returns when. */
static double run(Schedule *of, const Task *task, double ready)
{
    const int64_t core = first_core(of);
    const double core_s = sino_processor_s(&of->machine->file.core, task->flops, task->bytes);
    const double device_s = sino_processor_s(&of->device, task->flops, task->bytes);
    int64_t node = 0;
    double least = fmax(ready, of->core_free[core]) + core_s + expected_s(of, task, 0);
    for (int64_t d = 0; d < of->devices && !task->host; d++) {
        const double end = fmax(ready, of->device_free[d]) + device_s + expected_s(of, task, d + 1);
        if (end >= least) continue;
        least = end;
        node = d + 1;
    }
    double *available = node > 0 ? &of->device_free[node - 1] : &of->core_free[core];
    double begin = ready;
    for (int i = 0; i < OPERANDS_MAX; i++)
        if (task->read[i]) begin = fmax(begin, fetch(of, task->read[i], node, ready));
    *available = fmax(*available, begin) + (node > 0 ? device_s : core_s);
    if (task->write) task->write->valid = bit_of(node);
    return *available;
}

/* A short task on the state of slices. */
static double step(Schedule *of, double ready)
{
    return ready + 1e-6 * of->device.task_us;
}

/* ---- steps of a minibatch ---- */

/* The rays to the partitions: spread_node and spread_socket. */
static void spread(Schedule *of, Slot *slot, double ready)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) of->part_ready[p] = ready;
    if (n->parts == 1) return;
    for (int64_t s = 0; s < n->sockets; s++) {
        const Task node = {.bytes = 2 * n->socket, .read = {&slot->rays}, .write = &slot->socket[s]};
        const double there = run(of, &node, ready);
        for (int64_t p = s * n->parts / n->sockets; p < (s + 1) * n->parts / n->sockets; p++) of->part_ready[p] = there;
    }
    for (int64_t p = 0; p < n->parts; p++) {
        Datum *from = n->sockets > 0 ? &slot->socket[p * n->sockets / n->parts] : &slot->rays;
        const Task task = {.bytes = 2 * n->partial, .read = {from}, .write = &slot->partial[p]};
        of->part_ready[p] = run(of, &task, of->part_ready[p]);
    }
}

static void backproject(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) {
        Datum *from = n->parts > 1 ? &slot->partial[p] : &slot->rays;
        const Task task = {.flops = n->product_flops,
                           .bytes = n->product_bytes,
                           .read = {from, &of->lists[p]},
                           .write = &slot->gradient[p]};
        of->part_ready[p] = run(of, &task, of->part_ready[p]);
    }
}

/* Sums of all voxels, then their updates. Returns when the last one ends. */
static double update_voxels(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    const double sums = n->voxels_moved / 4, rest = n->voxels_moved - sums;
    double joined = 0, last = 0;
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {.bytes = sums, .read = {&slot->gradient[p]}};
        joined = fmax(joined, run(of, &task, of->part_ready[p]));
    }
    joined = step(of, joined);
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {.bytes = rest, .read = {&slot->gradient[p], &slot->state[p]}, .write = &slot->state[p]};
        of->part_ready[p] = run(of, &task, joined);
        slot->direction[p].valid = slot->state[p].valid;
        last = fmax(last, of->part_ready[p]);
    }
    return last;
}

/* Projections of all partitions, and their sum in chains of reduce_socket and reduce_node. */
static double project(Schedule *of, Slot *slot, double ready)
{
    const Amounts *n = &of->of;
    double last = 0, chain[PARTS_MAX] = {0};
    const int64_t chains = sino_larger(n->sockets, 1);
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {.flops = n->product_flops,
                           .bytes = n->product_bytes,
                           .read = {&slot->direction[p], &of->lists[p]},
                           .write = n->parts > 1 ? &slot->partial[p] : &slot->line};
        of->part_ready[p] = run(of, &task, ready);
        last = fmax(last, of->part_ready[p]);
    }
    if (n->parts == 1) return last;
    for (int64_t p = 0; p < n->parts; p++) {
        const int64_t c = p * chains / n->parts;
        const bool first = p == 0 || (p - 1) * chains / n->parts != c;
        Datum *to = n->sockets > 0 ? &slot->socket[c] : &slot->line;
        const Task task = {.bytes = 2 * n->partial, .read = {&slot->partial[p], first ? NULL : to}, .write = to};
        chain[c] = run(of, &task, fmax(chain[c], of->part_ready[p]));
    }
    last = chain[0];
    for (int64_t s = 0; s < n->sockets; s++) {
        const Task task = {
            .bytes = 2 * n->socket, .read = {&slot->socket[s], s > 0 ? &slot->line : NULL}, .write = &slot->line};
        last = run(of, &task, fmax(last, chain[s]));
    }
    return last;
}

static double update_rays(Schedule *of, Slot *slot, double ready)
{
    const double each = of->of.rays_moved / 2;
    const Task sums = {.bytes = each, .read = {&slot->line, &slot->rays}};
    const Task residual = {.bytes = each, .read = {&slot->line, &slot->rays}, .write = &slot->rays};
    return step(of, run(of, &residual, step(of, run(of, &sums, ready))));
}

/* A task that uses files, which have one reader or writer at a time. */
static double use_file(Schedule *of, double bytes, Datum *datum, double ready)
{
    const double core_s = fmax(sino_processor_s(&of->machine->file.core, 0, bytes),
                               bytes / (giga * of->machine->rates.file_gbps));
    if (datum) ready = fetch(of, datum, 0, ready);
    return of->file_free = fmax(ready, of->file_free) + core_s;
}

/* From counts to the first gradient. Counts of the first slots are loaded while the operator is built. */
static double start(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    const Task correct = {.bytes = n->counts + n->rays, .host = true, .write = &slot->rays};
    const Task squares = {.bytes = n->rays, .read = {&slot->rays}};
    const bool loads = slot->minibatch >= n->slots;
    double ready = loads ? use_file(of, n->counts, NULL, slot->ready) : slot->ready;
    slot->rays.valid = 1;
    ready = run(of, &correct, ready);
    const double begun = run(of, &squares, ready);
    if (n->normal) {
        for (int64_t p = 0; p < n->parts; p++) of->part_ready[p] = ready;
    } else
        spread(of, slot, ready);
    backproject(of, slot);
    for (int64_t p = 0; p < n->parts; p++) of->part_ready[p] = fmax(begun, of->part_ready[p]);
    return update_voxels(of, slot);
}

static double turn(Schedule *of, Slot *slot)
{
    if (of->of.normal) {
        for (int64_t p = 0; p < of->of.parts; p++) of->part_ready[p] = slot->ready;
        backproject(of, slot);
        return update_voxels(of, slot);
    }
    spread(of, slot, update_rays(of, slot, project(of, slot, slot->ready)));
    backproject(of, slot);
    return update_voxels(of, slot);
}

static double finish(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    double ready = slot->ready;
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {
            .bytes = 2 * n->voxels, .read = {&slot->direction[p], p > 0 ? &slot->image : NULL}, .write = &slot->image};
        ready = run(of, &task, ready);
    }
    return use_file(of, n->image, &slot->image, ready);
}

/* The slot whose minibatch can go on first; NULL: all are done. */
static Slot *next_slot(const Schedule *of)
{
    Slot *next = NULL;
    for (int64_t s = 0; s < of->of.slots; s++)
        if (of->slot[s].turn >= 0 && (!next || of->slot[s].ready < next->ready)) next = &of->slot[s];
    return next;
}

static double go(Schedule *of)
{
    double end = 0;
    for (Slot *slot; (slot = next_slot(of));) {
        const int64_t turns = of->of.turns;
        if (slot->turn == 0)
            slot->ready = start(of, slot);
        else if (slot->turn <= turns)
            slot->ready = turn(of, slot);
        else
            slot->ready = finish(of, slot);
        end = fmax(end, slot->ready);
        if (++slot->turn <= turns + 1) continue;
        slot->minibatch += of->of.slots;
        slot->turn = slot->minibatch < of->of.minibatches ? 0 : -1;
    }
    return end;
}

/* ---- the plan's tasks ---- */

/* The mean of both directions, by the rate of products. */
static double product_flops(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoRates *rates = &request->machine.rates;
    return giga * rates->kernel_gflops * (double)plan->streaming.minibatch *
           sino_projector_product_s(&plan->problem, plan->size.nonzero_count, rates, plan->streaming.minibatch) *
           plan->size.slowest_nonzeros * (double)plan->worker_count / plan->size.nonzero_count;
}

static Amounts amounts_of(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoVectors *vectors = &request->job.solver->vectors;
    const SinoExtent *extent = plan->size.shape.extent;
    const double subsets = (double)plan->problem.subset_count;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double row = element * (double)plan->streaming.stride, minibatch = (double)plan->streaming.minibatch;
    const int64_t parts = sino_smaller(plan->partition_count, PARTS_MAX);
    const double count = (double)parts, sockets = (double)extent[SINO_ROWS_SOCKET].members / subsets;
    const double rays = (double)extent[SINO_ROWS_RAYS].total * row, block = (double)plan->size.bytes;
    const double side = (double)request->job.problem.geometry.grid_size;
    double of_rays = 0, of_voxels = 0;
    for (int64_t i = 0; i < vectors->count; i++)
        vectors->buffer[i].rows == SINO_ROWS_VOXELS ? (of_voxels += 2) : (of_rays += 1.5);
    Amounts n = {.parts = parts,
                 .sockets = sino_smaller((int64_t)sockets, parts),
                 .rays = rays,
                 .voxels = (double)extent[SINO_ROWS_VOXELS].total * row / count,
                 .partial = (double)extent[SINO_ROWS_PARTIAL].total * row / (subsets * count),
                 .counts = (double)request->job.slice_bytes * minibatch,
                 .minibatches = sino_ceil_divide(plan->slowest_slices, plan->streaming.minibatch),
                 .slots = plan->streaming.slots,
                 .normal = sino_operator_is_normal(plan->problem.projector)};
    if (n.sockets > 0) n.socket = (double)extent[SINO_ROWS_SOCKET].total * row / (subsets * (double)n.sockets);
    n.product_flops = product_flops(request, plan) / (subsets * count);
    n.product_bytes = block / (subsets * count) + n.voxels + (parts > 1 ? n.partial : rays / subsets);
    n.voxels_moved = of_voxels * n.voxels;
    n.rays_moved = of_rays * rays / subsets;
    n.image = minibatch * side * side * sizeof(float);
    return n;
}

/* ---- the schedule ---- */

bool sino_schedule_serves(const SinoMachine *machine)
{
    return machine->rates.of_devices && machine->devices.count > 0;
}

static void give_slot(Schedule *of, Slot *slot, Datum *data)
{
    const Amounts *n = &of->of;
    Datum **const list[] = {&slot->partial, &slot->gradient, &slot->direction, &slot->state};
    const double bytes[] = {n->partial, n->voxels, n->voxels, n->voxels_moved / 2};
    slot->line = slot->rays = (Datum){n->rays, 1};
    slot->image = (Datum){n->image, 1};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++, data += n->parts) {
        *list[i] = data;
        for (int64_t p = 0; p < n->parts; p++) data[p] = (Datum){bytes[i], 0};
    }
    slot->socket = data;
    for (int64_t s = 0; s < n->sockets; s++) data[s] = (Datum){n->socket, 1};
}

/* As the operator copies lists ahead (rays_device.c). */
static void place_lists(Schedule *of, const SinoRunPlan *plan, Datum *lists)
{
    const Amounts *n = &of->of;
    const double bytes = (double)sino_device_estimate_lists(plan->size.bytes) / (double)n->parts;
    const double room = (double)of->machine->devices.bytes / 2;
    const bool all = room <= 0 || bytes * (double)n->parts <= room;
    of->lists = lists;
    for (int64_t p = 0; p < n->parts; p++) {
        lists[p] = (Datum){bytes, 1};
        for (int64_t d = 0; d < of->devices; d++)
            if (all || p % of->devices == d) lists[p].valid |= bit_of(d + 1);
    }
}

static void schedule_free(Schedule *of)
{
    free(of->core_free);
    free(of->slot);
    free(of->data);
    free(of->part_ready);
}

static SinoStatus schedule_new(const SinoPlanRequest *request, const SinoRunPlan *plan, const Amounts *amounts,
                               Schedule *of)
{
    const SinoMachine *machine = &request->machine;
    const SinoRates *rates = &machine->rates;
    *of = (Schedule){.machine = machine,
                     .of = *amounts,
                     .device = {rates->kernel_gflops, rates->memory_gbps, machine->file.device.task_us},
                     .devices = sino_smaller(machine->devices.count, DEVICES_MAX)};
    of->cores = sino_larger(plan->worker_count - machine->devices.count, 1);
    const int64_t each = 4 * amounts->parts + amounts->sockets;
    SinoStatus status = sino_allocate(of->cores, sizeof *of->core_free, "a schedule", &of->core_free);
    if (!status) status = sino_allocate(amounts->slots, sizeof *of->slot, "a schedule", &of->slot);
    if (!status) status = sino_allocate(amounts->parts, sizeof *of->part_ready, "a schedule", &of->part_ready);
    if (!status)
        status = sino_allocate(amounts->slots * each + amounts->parts, sizeof *of->data, "a schedule", &of->data);
    if (status) {
        schedule_free(of);
        return status;
    }
    for (int64_t s = 0; s < amounts->slots; s++) {
        of->slot[s].minibatch = s;
        give_slot(of, &of->slot[s], of->data + s * each);
    }
    place_lists(of, plan, of->data + amounts->slots * each);
    return NULL;
}

static SinoStatus time_of(const SinoPlanRequest *request, const SinoRunPlan *plan, const Amounts *amounts,
                          double *seconds)
{
    Schedule schedule;
    SINO_TRY(schedule_new(request, plan, amounts, &schedule));
    *seconds = go(&schedule);
    schedule_free(&schedule);
    return NULL;
}

SinoStatus sino_schedule_times(const SinoPlanRequest *request, const SinoRunPlan *plan, SinoScheduleTimes *times)
{
    const SinoWorkload *job = &request->job;
    const int64_t iterations = job->history_columns - 1;
    const double updates = sino_solver_updates(job->solver, plan->problem.subset_count, iterations);
    const double turns = (double)iterations * updates;
    Amounts amounts = amounts_of(request, plan);
    double few, more;
    const double share = (double)amounts.minibatches / (double)sino_smaller(amounts.minibatches, MINIBATCHES_MAX);
    amounts.minibatches = sino_smaller(amounts.minibatches, MINIBATCHES_MAX);
    amounts.slots = sino_smaller(amounts.slots, amounts.minibatches);
    amounts.turns = turns > 0 ? 1 : 0;
    SINO_TRY(time_of(request, plan, &amounts, &few));
    amounts.turns = TURNS_MAX;
    SINO_TRY(time_of(request, plan, &amounts, &more));
    const double turn_s = (more - few) / (TURNS_MAX - 1);
    *times = (SinoScheduleTimes){.iteration = share * turn_s * fmax(updates, 1),
                                 .run = share * (few + turn_s * fmax(turns - 1, 0))};
    return NULL;
}
