/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedule: how long a planned run takes where devices compute, by a list schedule of its tasks. */
#include "forecast.h"

#include "memory.h"
#include "models.h"
#include "projector_cost.h"
#include "rays.h"

#include <math.h>
#include <stdlib.h>

enum {
    DEVICES_MAX = 63,
    PARTS_MAX = 64,
    MINIBATCHES_MAX = 256,
    TURNS_MAX = 5,
    QUEUE_MAX = 16,
    OPERANDS_MAX = 3,
    DIRECTIONS = 2
};

static const double giga = 1e9;

/* StarPU pins its first pages of main memory for transfers. */
static const double pin_s = 0.0208;

/* Bytes, and the memories that have them: bit 0 for main memory, bit 1 + d for device d. */
typedef struct Datum {
    double bytes;
    uint64_t valid;
} Datum;

/* A task with the data that it reads, and one that it writes. */
typedef struct Task {
    double flops, bytes;
    double passed; /* bytes that a product moves before or after it (rays_tasks.h) */
    Datum *read[OPERANDS_MAX], *write;
} Task;

/* What one task of a kind has. */
typedef struct Amounts {
    double product_flops, product_bytes;  /* of a partition */
    double lists;                         /* bytes of a partition and direction */
    double rays, voxels, partial, socket; /* bytes of a vector: of a minibatch, a partition, a footprint, a socket */
    double rays_moved, voxels_moved;      /* bytes of updates: of the rays, of a partition's voxels */
    double prior_moved;                   /* bytes of a turn's prior, of a partition; 0: none */
    double counts, image;                 /* bytes of a minibatch in files */
    int64_t parts, sockets;               /* of a rank */
    int64_t minibatches, slots, turns;
    bool normal;         /* a product stands for both directions */
    bool alone;          /* devices run iterations alone */
    bool passes;         /* products pass on their rays (sino_rays_pass_on) */
    bool prior_on_cores; /* as devices share the partitions (solvers_tasks.h) */
} Amounts;

/* A slot, and the next step of its minibatch. */
typedef struct Slot {
    int step;
    int64_t minibatch, turn; /* turn 0 begins with line integrals */
    double ready, begun;     /* the next step; the sum of squares of the line integrals */
    double *part_ready;      /* [parts]; owned by Schedule.part_ready */
    Datum line, rays, image, *socket, *partial, *gradient, *direction, *state; /* owned by Schedule.data */
} Slot;

/* A device's last tasks; when its queue ends, and was expected to end; when its links are free. */
typedef struct Device {
    struct {
        double begin, end;
    } task[QUEUE_MAX];
    int64_t count;
    double available, expected, in_free, out_free;
} Device;

typedef struct Schedule {
    const SinoMachine *machine;
    Amounts of;
    SinoProcessorRates rates; /* of a device */
    int64_t cores, devices;
    bool alone;        /* of the step: cores get no task */
    double *core_free; /* owned */
    Device device[DEVICES_MAX];
    double down_free, up_free, file_free;
    Datum counts;       /* of a slab */
    Datum *lists;       /* [parts][DIRECTIONS]; owned by data */
    Slot *slot;         /* owned */
    Datum *data;        /* owned */
    double *part_ready; /* [slots][parts]; owned */
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

/* Of a datum to a memory, by a link that `shared` transfers use alike. */
static double transfer_s(const Schedule *of, const Datum *datum, int64_t node, double shared)
{
    const SinoMachineFile *file = &of->machine->file;
    const int64_t from = source_of(datum);
    const SinoMachineLink *link = from > 0 && node > 0 ? &file->device_device : &file->host_device;
    return 1e-6 * link->latency_us + shared * datum->bytes / (giga * link->gbps);
}

/* The transfers that dmda expects of a task in a memory: each is one of two on every device's link at a time. */
static double expected_s(const Schedule *of, const Task *task, int64_t node)
{
    double sum = 0;
    for (int i = 0; i < OPERANDS_MAX; i++)
        if (task->read[i] && !(task->read[i]->valid & bit_of(node)))
            sum += transfer_s(of, task->read[i], node, 2 * (double)of->devices);
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
    if (from > 0) begin = fmax(begin, of->device[from - 1].out_free);
    if (node > 0) begin = fmax(begin, of->device[node - 1].in_free);
    double end = begin + transfer_s(of, datum, node, 1);
    if (shared) end = fmax(end, *shared = fmax(*shared, begin) + shared_s);
    if (from > 0) of->device[from - 1].out_free = end;
    if (node > 0) of->device[node - 1].in_free = end;
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

static double last_begin(const Device *device)
{
    return device->count > 0 ? device->task[(device->count - 1) % QUEUE_MAX].begin : 0;
}

/* When a device is done with what it does now. */
static double pause_after(const Device *device, double now)
{
    for (int64_t i = sino_larger(0, device->count - QUEUE_MAX); i < device->count; i++)
        if (device->task[i % QUEUE_MAX].begin <= now && now < device->task[i % QUEUE_MAX].end)
            return device->task[i % QUEUE_MAX].end;
    return now;
}

/* When a device seems free for a task to the policy, which expects transfers until the task that waits for them begins.
 * Short steps have a higher priority than products, and go before those that wait. */
static double seems_free(const Device *device, const Task *task, double now)
{
    if (task->flops <= 0) return pause_after(device, now);
    return now < last_begin(device) ? fmax(device->expected, device->available) : device->available;
}

/* When dmda expects the end of a task. */
static double expected_end(double available, double ready, double transfers_s, double task_s)
{
    return fmax(available, ready + transfers_s) + task_s;
}

/* Where dmda puts a task: where it seems to end first, with transfers counted twice so that data stay; of devices that
 * are alike, the one with the shortest queue. `end`: when it seems to end there. */
static int64_t choose(const Schedule *of, const Task *task, double ready, double core_s, double device_s, double *end)
{
    double transfers_s = expected_s(of, task, 0);
    int64_t node = 0;
    *end = expected_end(of->core_free[first_core(of)], ready, transfers_s, core_s);
    double least = of->alone ? (double)INFINITY : *end + transfers_s;
    for (int64_t d = 0; d < of->devices; d++) {
        transfers_s = expected_s(of, task, d + 1);
        const double there = expected_end(seems_free(&of->device[d], task, ready), ready, transfers_s, device_s);
        const bool busier = node > 0 && of->device[d].available >= of->device[node - 1].available;
        if (there + transfers_s > least || (there + transfers_s == least && (node == 0 || busier))) continue;
        least = there + transfers_s;
        *end = there;
        node = d + 1;
    }
    return node;
}

/* Runs a task on a device, once its data are there; returns when it ends. */
static double place(Device *device, const Task *task, double ready, double task_s, double expected)
{
    const bool product = task->flops > 0;
    const double begin = product ? fmax(device->available, ready) : pause_after(device, ready), end = begin + task_s;
    if (product) device->expected = expected;
    device->available = begin < device->available ? device->available + task_s : end;
    if (product) {
        device->task[device->count % QUEUE_MAX].begin = begin;
        device->task[device->count++ % QUEUE_MAX].end = end;
    }
    return end;
}

static double task_s_of(const SinoProcessorRates *rates, const Task *task)
{
    const double product_s = sino_processor_s(rates, task->flops, task->bytes);
    return task->passed > 0 ? product_s + sino_processor_s(rates, 0, task->passed) : product_s;
}

/* Runs a task in a memory, once `ready`; returns when it ends. */
static double run_at(Schedule *of, const Task *task, int64_t node, double ready, double expected)
{
    const double task_s = task_s_of(node == 0 ? &of->machine->file.core : &of->rates, task);
    double begin = ready;
    for (int i = 0; i < OPERANDS_MAX; i++)
        if (task->read[i]) begin = fmax(begin, fetch(of, task->read[i], node, ready));
    if (task->write) task->write->valid = bit_of(node);
    if (node == 0) {
        double *core = &of->core_free[first_core(of)];
        return *core = fmax(*core, begin) + task_s;
    }
    return place(&of->device[node - 1], task, begin, task_s, expected);
}

/* Runs a task where dmda puts it. */
static double run(Schedule *of, const Task *task, double ready)
{
    const double core_s = task_s_of(&of->machine->file.core, task);
    const double device_s = task_s_of(&of->rates, task);
    double expected;
    const int64_t node = choose(of, task, ready, core_s, device_s, &expected);
    return run_at(of, task, node, ready, expected);
}

/* A short task on the state of slices. */
static double step_of_state(const Schedule *of, double ready)
{
    return ready + 1e-6 * of->rates.task_us;
}

/* ---- steps of a minibatch ---- */

static double latest(const Schedule *of, const Slot *slot)
{
    double last = 0;
    for (int64_t p = 0; p < of->of.parts; p++) last = fmax(last, slot->part_ready[p]);
    return last;
}

/* All partitions are ready at a time. */
static double join(const Schedule *of, Slot *slot, double ready)
{
    for (int64_t p = 0; p < of->of.parts; p++) slot->part_ready[p] = ready;
    return ready;
}

/* A task that uses files, which have one reader or writer at a time. */
static double use_file(Schedule *of, double bytes, Datum *datum, double ready)
{
    const double core_s =
        fmax(sino_processor_s(&of->machine->file.core, 0, bytes), bytes / (giga * of->machine->rates.file_gbps));
    if (datum) ready = fetch(of, datum, 0, ready);
    return of->file_free = fmax(ready, of->file_free) + core_s;
}

/* From counts to rays, and the sum of their squares. Counts of the first slots are loaded while the operator is
 * built. */
static double start(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    const Task correct = {.bytes = n->counts + n->rays, .read = {&of->counts}, .write = &slot->rays};
    const Task squares = {.bytes = n->rays, .read = {&slot->rays}};
    const bool loads = slot->minibatch >= n->slots;
    if (slot->minibatch % n->slots == 0) of->counts.valid = 1;
    double ready = run(of, &correct, loads ? use_file(of, n->counts, NULL, slot->ready) : slot->ready);
    if (!loads && slot->rays.valid == 1) ready += pin_s;
    slot->begun = run(of, &squares, ready);
    return join(of, slot, ready);
}

static int64_t socket_of(const Amounts *n, int64_t part)
{
    return part * n->sockets / n->parts;
}

/* The rays that a partition takes from, and adds to. */
static Datum *beyond(const Amounts *n, Slot *slot, int64_t part, Datum *all)
{
    return n->sockets > 0 ? &slot->socket[socket_of(n, part)] : all;
}

/* The rays to the partitions: spread_node and spread_socket. */
static double spread(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    double there = slot->ready;
    if (n->parts == 1 || n->normal) return join(of, slot, slot->ready);
    for (int64_t p = 0; p < n->parts; p++) {
        const int64_t s = socket_of(n, p);
        const Task node = {.bytes = 2 * n->socket, .read = {&slot->rays}, .write = &slot->socket[s]};
        const Task task = {
            .bytes = 2 * n->partial, .read = {beyond(n, slot, p, &slot->rays)}, .write = &slot->partial[p]};
        if (n->sockets > 0 && (p == 0 || socket_of(n, p - 1) != s)) there = run(of, &node, slot->ready);
        slot->part_ready[p] = n->passes ? there : run(of, &task, there);
    }
    return latest(of, slot);
}

static double backproject(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) {
        Datum *rays = n->passes ? beyond(n, slot, p, &slot->rays) : n->parts > 1 ? &slot->partial[p] : &slot->rays;
        const Task task = {.flops = n->product_flops,
                           .bytes = n->product_bytes,
                           .passed = n->passes ? 2 * n->partial : 0,
                           .read = {rays, &of->lists[DIRECTIONS * p]},
                           .write = &slot->gradient[p]};
        slot->part_ready[p] = run(of, &task, slot->part_ready[p]);
    }
    return latest(of, slot);
}

static double sum_voxels(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {.bytes = n->voxels_moved / 4, .read = {&slot->gradient[p]}};
        slot->part_ready[p] = run(of, &task, slot->part_ready[p]);
    }
    return step_of_state(of, fmax(slot->begun, latest(of, slot)));
}

/* A partition's prior reads the vectors of the others. */
static double lower(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts && n->prior_moved > 0; p++) {
        const Task task = {.bytes = n->prior_moved, .read = {&slot->gradient[p]}, .write = &slot->gradient[p]};
        slot->part_ready[p] = n->prior_on_cores ? run_at(of, &task, 0, slot->ready, 0) : run(of, &task, slot->ready);
    }
    return n->prior_moved > 0 ? latest(of, slot) : slot->ready;
}

static double update_voxels(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {.bytes = n->voxels_moved * 3 / 4,
                           .read = {&slot->gradient[p], slot->turn > 0 ? &slot->state[p] : NULL},
                           .write = &slot->state[p]};
        slot->part_ready[p] = run(of, &task, slot->ready);
        slot->direction[p].valid = slot->state[p].valid;
    }
    return latest(of, slot);
}

/* Whether a partition is the first of its sum. */
static bool begins_sum(const Amounts *n, int64_t p)
{
    return p == 0 || (n->sockets > 0 && socket_of(n, p - 1) != socket_of(n, p));
}

static double project(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    for (int64_t p = 0; p < n->parts; p++) {
        Datum *sum = beyond(n, slot, p, &slot->line);
        const bool adds = n->passes && !begins_sum(n, p);
        const Task task = {.flops = n->product_flops,
                           .bytes = n->product_bytes,
                           .passed = n->passes ? 2 * n->partial : 0,
                           .read = {&slot->direction[p], &of->lists[DIRECTIONS * p + 1], adds ? sum : NULL},
                           .write = n->passes      ? sum
                                    : n->parts > 1 ? &slot->partial[p]
                                                   : &slot->line};
        if (adds) slot->part_ready[p] = fmax(slot->part_ready[p], slot->part_ready[p - 1]);
        slot->part_ready[p] = run(of, &task, slot->part_ready[p]);
    }
    return latest(of, slot);
}

/* The sum of the projections of all partitions: reduce_socket and reduce_node, chains of tasks. */
static double reduce(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    double chain = 0, sum = 0;
    for (int64_t p = 0; p < n->parts && n->parts > 1; p++) {
        const int64_t s = socket_of(n, p);
        const bool begins = begins_sum(n, p), last = p == n->parts - 1 || socket_of(n, p + 1) != s;
        Datum *to = beyond(n, slot, p, &slot->line);
        const Task task = {.bytes = 2 * n->partial, .read = {&slot->partial[p], begins ? NULL : to}, .write = to};
        const double ready = fmax(begins ? 0 : chain, slot->part_ready[p]);
        chain = n->passes ? ready : run(of, &task, ready);
        sum = fmax(sum, chain);
        if (n->sockets == 0 || !last) continue;
        const Task node = {
            .bytes = 2 * n->socket, .read = {&slot->socket[s], s > 0 ? &slot->line : NULL}, .write = &slot->line};
        sum = run(of, &node, sum);
    }
    return n->parts > 1 ? sum : slot->ready;
}

static double update_rays(Schedule *of, Slot *slot)
{
    const double each = of->of.rays_moved / 2;
    const Task sums = {.bytes = each, .read = {&slot->line, &slot->rays}};
    const Task residual = {.bytes = each, .read = {&slot->line, &slot->rays}, .write = &slot->rays};
    return run(of, &residual, step_of_state(of, run(of, &sums, slot->ready)));
}

static double assemble(Schedule *of, Slot *slot)
{
    const Amounts *n = &of->of;
    double ready = slot->ready;
    for (int64_t p = 0; p < n->parts; p++) {
        const Task task = {
            .bytes = 2 * n->voxels, .read = {&slot->direction[p], p > 0 ? &slot->image : NULL}, .write = &slot->image};
        ready = run(of, &task, ready);
    }
    return ready;
}

static double store(Schedule *of, Slot *slot)
{
    return use_file(of, of->of.image, &slot->image, slot->ready);
}

enum { START, SPREAD, BACK, SUMS, PRIOR, VOXELS, PROJECT, REDUCE, RAYS, ASSEMBLE, STORE, STEPS, DONE = STEPS };

/* The step after one that has ended. */
static int next_step(const Schedule *of, Slot *slot)
{
    if (slot->step == RAYS) return SPREAD;
    if (slot->step == VOXELS && slot->turn++ == of->of.turns) return ASSEMBLE;
    if (slot->step == VOXELS) return of->of.normal ? BACK : PROJECT;
    if (slot->step != STORE) return slot->step + 1;
    slot->turn = 0;
    slot->minibatch += of->of.slots;
    return slot->minibatch < of->of.minibatches ? START : DONE;
}

/* The slot whose minibatch can go on first; NULL: all are done. */
static Slot *next_slot(const Schedule *of)
{
    Slot *next = NULL;
    for (int64_t s = 0; s < of->of.slots; s++)
        if (of->slot[s].step != DONE && (!next || of->slot[s].ready < next->ready)) next = &of->slot[s];
    return next;
}

static double go(Schedule *of)
{
    static double (*const make[STEPS])(Schedule *, Slot *) = {
        [START] = start,      [SPREAD] = spread,        [BACK] = backproject, [SUMS] = sum_voxels,
        [PRIOR] = lower,      [VOXELS] = update_voxels, [PROJECT] = project,  [REDUCE] = reduce,
        [RAYS] = update_rays, [ASSEMBLE] = assemble,    [STORE] = store};
    double end = 0;
    for (Slot *slot; (slot = next_slot(of));) {
        of->alone = of->of.alone && slot->step > START && slot->step < ASSEMBLE;
        slot->ready = make[slot->step](of, slot);
        end = fmax(end, slot->ready);
        slot->step = next_step(of, slot);
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

/* The operator copies lists ahead, as long as they fill no more than half of a device (rays_device.c). */
static double list_room(const SinoMachine *machine)
{
    return machine->devices.bytes > 0 ? (double)machine->devices.bytes / 2 : (double)INFINITY;
}

static int64_t core_count(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    return sino_larger(plan->worker_count - request->machine.devices.count, 1);
}

static Amounts amounts_of(const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoMachine *machine = &request->machine;
    const SinoVectors *vectors = &request->job.solver->vectors;
    const SinoExtent *extent = plan->size.shape.extent;
    const double subsets = (double)plan->problem.subset_count;
    const double element = (double)sino_precision_bytes(sino_precision_solver(plan->problem.precision));
    const double row = element * (double)plan->streaming.stride, minibatch = (double)plan->streaming.minibatch;
    const int64_t parts = sino_smaller(plan->partition_count, PARTS_MAX);
    const double count = (double)parts, sockets = (double)extent[SINO_ROWS_SOCKET].members / subsets;
    const double rays = (double)extent[SINO_ROWS_RAYS].total * row;
    const double angles = (double)request->job.problem.geometry.angle_count;
    const double stored = sino_operator_of(plan->problem.projector)->stores
                              ? plan->size.nonzero_count * (double)plan->size.stored_angles / angles
                              : 0;
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
                 .minibatches = sino_larger(1, sino_ceil_divide(plan->slowest_slices, plan->streaming.minibatch)),
                 .slots = plan->streaming.slots,
                 .normal = sino_operator_is_normal(plan->problem.projector)};
    if (n.sockets > 0) n.socket = (double)extent[SINO_ROWS_SOCKET].total * row / (subsets * (double)n.sockets);
    n.product_flops = product_flops(request, plan) / (subsets * count);
    n.lists = stored * sino_rays_list_bytes(plan->problem.precision) / (subsets * count);
    n.product_bytes = n.lists + n.voxels + (parts > 1 ? n.partial : rays / subsets);
    n.voxels_moved = of_voxels * n.voxels;
    if (request->job.solver->prior_vectors)
        n.prior_moved = n.voxels * request->job.solver->prior_vectors(plan->problem.subset_count);
    const bool little = machine->file.device_kind == SINO_DEVICE_CUDA &&
                        sino_devices_iterate_alone(request->choices.devices, request->choices.scheduler,
                                                   (double)core_count(request, plan) * machine->file.core.memory_gbps,
                                                   (double)machine->devices.count * machine->rates.memory_gbps);
    n.alone = little && request->job.solver->iterative;
    n.passes = little && parts > 1 && n.lists * DIRECTIONS * count * subsets <= list_room(machine) &&
               (plan->problem.precision == SINO_SINGLE || plan->problem.precision == SINO_DOUBLE) &&
               sino_operator_of(plan->problem.projector)->stores && (n.sockets > 0 || plan->grid.data_ranks == 1) &&
               sino_rays_pass_on(parts, n.sockets, n.slots, machine->devices.count);
    n.prior_on_cores = parts > 1 && request->machine.devices.count > 1;
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

/* Lists are on their way as the run begins. */
static void place_lists(Schedule *of, Datum *lists)
{
    const Amounts *n = &of->of;
    const SinoMachineFile *file = &of->machine->file;
    const int64_t count = DIRECTIONS * n->parts;
    const double room = list_room(of->machine);
    const bool all = n->lists * (double)count <= room;
    of->lists = lists;
    for (int64_t i = 0; i < count; i++) lists[i] = (Datum){n->lists, 1};
    for (int64_t d = 0; d < of->devices; d++) {
        double bytes = 0;
        for (int64_t i = 0; i < count; i++) {
            if ((!all && i / DIRECTIONS % of->devices != d) || bytes + n->lists > room) continue;
            lists[i].valid |= bit_of(d + 1);
            bytes += n->lists;
        }
        of->device[d].in_free = bytes / (giga * file->host_device.gbps);
        of->down_free += bytes / (giga * file->host_gbps);
    }
    for (int64_t d = 0; d < of->devices; d++)
        if (of->device[d].in_free > 0) of->device[d].in_free = fmax(of->device[d].in_free, of->down_free);
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
                     .counts = {amounts->counts * (double)amounts->slots, 1},
                     .rates = {rates->kernel_gflops, rates->memory_gbps, machine->file.device.task_us},
                     .devices = sino_smaller(machine->devices.count, DEVICES_MAX)};
    of->cores = core_count(request, plan);
    const int64_t each = 4 * amounts->parts + amounts->sockets;
    SinoStatus status = sino_allocate(of->cores, sizeof *of->core_free, "a schedule", &of->core_free);
    if (!status) status = sino_allocate(amounts->slots, sizeof *of->slot, "a schedule", &of->slot);
    if (!status)
        status = sino_allocate(sino_times(amounts->slots, amounts->parts), sizeof *of->part_ready, "a schedule",
                               &of->part_ready);
    if (!status)
        status = sino_allocate(sino_times(amounts->slots, each) + DIRECTIONS * amounts->parts, sizeof *of->data,
                               "a schedule", &of->data);
    if (status) {
        schedule_free(of);
        return status;
    }
    for (int64_t s = 0; s < amounts->slots; s++) {
        of->slot[s].minibatch = s;
        of->slot[s].part_ready = of->part_ready + s * amounts->parts;
        give_slot(of, &of->slot[s], of->data + s * each);
    }
    place_lists(of, of->data + amounts->slots * each);
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
