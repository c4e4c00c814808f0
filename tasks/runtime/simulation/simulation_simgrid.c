/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, over SimGrid: what can be simulated; gives each task its time, and counts. */
#include "device.h"
#include "memory.h"
#include "models.h"
#include "runtime_private.h"
#include "simulation_private.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static SinoSimulated *simulated; /* NULL: the simulation has not begun */

static void remove_folder(void *of, FILE *clause)
{
    (void)clause;
    sino_simulated_machine_remove(((SinoSimulated *)of)->folder);
}

void sino_simulated_begin(SinoSimulated *of)
{
    simulated = of;
    of->last = (SinoLastAct){.act = remove_folder, .of = of};
    sino_ending_add(&of->last);
}

void sino_simulated_forget_files(void)
{
    sino_ending_remove(&simulated->last);
    sino_simulated_machine_remove(simulated->folder);
    simulated->folder[0] = '\0';
}

void sino_simulated_end(void)
{
    sino_simulated_forget_files();
    sino_task_costs_free(simulated->costs);
    simulated = NULL;
}

const SinoMachineFile *sino_simulation_machine(void)
{
    return simulated ? &simulated->machine : NULL;
}

static SinoStatus check_ranks(const SinoSimulationRequest *request)
{
    const SinoMachineFile *machine = request->machine;
    const int64_t per_node = request->ranks_per_node, ranks = request->ranks;
    SINO_CHECK(per_node <= machine->cores, SINO_BAD_INPUT,
               "--ranks-per-node is %" PRId64 "; allowed: 1 to %" PRId64 ", the cores of a node of the machine '%s'",
               per_node, machine->cores, machine->name);
    SINO_CHECK(!request->devices || machine->device_count % per_node == 0, SINO_BAD_INPUT,
               "--ranks-per-node is %" PRId64 "; allowed: a divisor of %" PRId64
               ", the devices of a node of the machine '%s', or --device cpu",
               per_node, machine->device_count, machine->name);
    SINO_CHECK(machine->nodes == 1 || sino_ceil_divide(ranks, per_node) <= machine->nodes, SINO_BAD_INPUT,
               "--ranks is %" PRId64 "; allowed: 1 to %" PRId64 ", as the machine '%s' has %" PRId64
               " nodes, for %" PRId64 " ranks each",
               ranks, sino_times(machine->nodes, per_node), machine->name, machine->nodes, per_node);
    SINO_CHECK(ranks == 1 || request->launcher, SINO_BAD_INPUT,
               "--ranks is %" PRId64
               "; allowed: 1, since this simulator was built for one rank: ranks/sinodag-ranks is "
               "not beside it; `./run simulator` builds it",
               ranks);
    return NULL;
}

SinoStatus sino_simulation_check(const SinoSimulationRequest *request)
{
    const SinoMachineFile *machine = request->machine;
    const bool alone = request->ranks_per_node == 1;
    const int64_t cores = machine->cores / sino_larger(1, request->ranks_per_node);
    SINO_TRY(check_ranks(request));
    SINO_CHECK(request->workers <= cores, SINO_BAD_INPUT,
               "workers is %" PRId64 "; allowed: 1 to %" PRId64 ", the cores of %sthe machine '%s'", request->workers,
               cores, alone ? "" : "a rank of ", machine->name);
    SINO_CHECK(cores + machine->device_count <= STARPU_MAXCPUS, SINO_BAD_INPUT,
               "machine '%s' has %" PRId64 " cores, and %" PRId64 " for its devices; this StarPU simulates at most %d",
               machine->name, cores, machine->device_count, STARPU_MAXCPUS);
    if (!request->devices || machine->device_count == 0) return NULL;
    SINO_CHECK(machine->device_count / request->ranks_per_node <= STARPU_MAXCUDADEVS, SINO_BAD_INPUT,
               "machine '%s' has %" PRId64 " devices; this StarPU simulates at most %d", machine->name,
               machine->device_count, STARPU_MAXCUDADEVS);
    return NULL;
}

/* Whether the object asks for a symbol, or has it. */
static bool names(void *object, const char *symbol)
{
    const struct link_map *map = NULL;
    const char *table = NULL;
    size_t bytes = 0;
    if (dlinfo(object, RTLD_DI_LINKMAP, &map) != 0 || !map) return false;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB) table = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRSZ) bytes = entry->d_un.d_val;
    }
    if (!table) return false;
    for (size_t at = 0; at < bytes; at += strlen(table + at) + 1)
        if (strcmp(table + at, symbol) == 0) return true;
    return false;
}

/* By a StarPU that does not simulate, starpu_pthread_mutex_lock is another name of the system's function. */
SinoStatus sino_simulation_check_policy(const char *path, void *object)
{
    SINO_CHECK(!names(object, "pthread_mutex_lock") && !names(object, "pthread_cond_wait"), SINO_BAD_INPUT,
               "scheduler: %s was compiled for a StarPU that does not simulate; needed: the flags of "
               ".simulator/lib/pkgconfig (docs/SCHEDULING.md)",
               path);
    return NULL;
}

/* ---- the times of tasks ---- */

struct SinoSimulation {
    SinoSimulationCounts counts;
    double error_s;                         /* Σ time · expected error */
    double between_s[SINO_BETWEEN_CLASSES]; /* before a task on a core, by the class of its bytes */
    double begin_s, end_s;
    double path_s;        /* from begin_s: the earliest end of the longest chain of tasks */
    SinoRelease *release; /* [release_count]: the first at 0, of what waits for nothing; owned */
    int64_t release_count, release_capacity, kind_count;
    const char *kind[SINO_RELEASE_KINDS]; /* names of the kinds of releases */
};

static int place_of(unsigned device)
{
    return device != SINO_DEVICE_CPU;
}

static unsigned device_of(enum starpu_worker_archtype type)
{
    return type == STARPU_CUDA_WORKER ? simulated->machine.device_kind : SINO_DEVICE_CPU;
}

/* As runs have kept them. */
static SinoTaskFeatures features_of(struct starpu_task *task, const SinoTaskRecord *record)
{
    return (SinoTaskFeatures){.symbol = task->cl->model->symbol,
                              .footprint = task->cl->model->footprint(task),
                              .work = record->work,
                              .flops = record->flops,
                              .bytes = record->bytes,
                              .width = record->width,
                              .precision = record->precision,
                              .variant = record->variant};
}

/* How long the files are busy that a task uses. */
static double file_s(const SinoTaskRecord *record)
{
    const int64_t bytes = record->file_bytes == SINO_FILE_DATA ? record->bytes : record->file_bytes;
    return (double)bytes / (1e9 * simulated->machine.file_gbps);
}

/* By rates. A rate knows flops and bytes only, so tasks may have told more of what they do. Files are slower than
 * memory; all tasks of a rank that use them take turns. */
static double rate_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskRecord *record,
                     SinoTaskFeatures features)
{
    features.symbol = "";
    if (record->effort > 0) features.flops = record->effort;
    if (record->part_bytes > 0) features.bytes = record->part_bytes;
    double seconds = fmax(sino_task_cost_s(costs, device, &features, NULL, NULL), file_s(record));
    features.flops = 0;
    features.bytes = record->passed_bytes;
    return record->passed_bytes > 0 ? seconds + sino_task_cost_s(costs, device, &features, NULL, NULL) : seconds;
}

/* Tasks that are alike never take equally long. If they did, tasks would end at the same moment, and policies that are
 * asked at the same moment for several tasks would choose the same processor for all. The factor depends on the
 * position alone, so that simulations can be repeated. */
static double variation(const SinoTaskRecord *record)
{
    const SinoPosition *at = &record->task.position;
    const int64_t number[] = {at->slab, at->minibatch, at->partition, at->iteration};
    const double most = 0.01;
    uint64_t hash = (uint64_t)record->kind->name[0];
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        hash = (hash ^ (uint64_t)number[i]) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 29;
    }
    return 1 + most * ((double)(hash >> 11) / (double)((uint64_t)1 << 52) - 1);
}

static const double never_us = 1e12; /* of a task that cannot run there */

/* The time on a kind of processor, computed when it is first asked for. */
static const SinoSimulatedTime *time_of(struct starpu_task *task, unsigned device)
{
    SinoTaskRecord *record = task->cl_arg;
    SinoSimulatedTime *time = &record->time[place_of(device)];
    const SinoTaskCosts *costs = simulated->costs;
    if (time->us > 0) return time;
    const SinoTaskFeatures features = features_of(task, record);
    double seconds = sino_task_cost_s(costs, device, &features, &time->source, &time->error);
    if (time->source == SINO_COST_RATE) seconds = rate_s(costs, device, record, features);
    time->us =
        isfinite(seconds) ? fmax(1e6 * seconds * variation(record), 1e-3) : never_us; /* StarPU wants a time above 0 */
    return time;
}

/* StarPU's question, of policies and of the simulation. */
static double cost_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned variant)
{
    (void)variant;
    return time_of(task, device_of(arch->devices[0].type))->us;
}

void sino_simulation_model(struct starpu_perfmodel *model)
{
    model->type = STARPU_PER_ARCH;
    model->arch_cost_function = cost_us;
}

SinoStatus sino_simulated_kernel(const SinoTask *task, cudaStream_t stream)
{
    (void)task, (void)stream;
    return sino_error(SINO_FAILED, "a kernel was called in a simulation");
}

SinoStatus sino_simulated_opencl_kernel(const SinoTask *task, SinoOpencl *opencl)
{
    (void)task, (void)opencl;
    return sino_error(SINO_FAILED, "a kernel was called in a simulation");
}

bool sino_simulation_has_kernel(bool cuda, bool opencl)
{
    return simulated && simulated->machine.device_kind == SINO_DEVICE_OPENCL ? opencl : cuda;
}

/* ---- the time between tasks ---- */

/* Ranks take turns with files, in the order in which they ask for them: a rank that asks alone has all their
 * bandwidth. */
static double wait_for_files_s(const SinoTaskRecord *record)
{
    double *const free_us = simulated->files_free_us;
    const double now_us = starpu_timing_now(), busy_us = 1e6 * file_s(record);
    if (!free_us || !(busy_us > 0)) return 0;
    const double begin_us = fmax(now_us, *free_us);
    *free_us = begin_us + busy_us;
    return 1e-6 * (begin_us - now_us);
}

/* StarPU's callback: a worker has got a task. A simulated StarPU needs no time for what it does itself. Other workers
 * may give this one tasks meanwhile. */
static void wait_before(void *argument)
{
    const SinoTaskRecord *record = argument;
    SinoSimulation *of = record->task.runtime->simulation;
    const double seconds = of->between_s[sino_between_class(record->bytes)];
    const double files_s = wait_for_files_s(record);
    if (starpu_worker_get_type(starpu_worker_get_id()) != STARPU_CPU_WORKER || !(seconds + files_s > 0)) return;
    of->counts.between_s += seconds;
    starpu_worker_relax_on();
    starpu_sleep((float)(seconds + files_s));
    starpu_worker_relax_off();
}

/* ---- bounds ---- */

SinoStatus sino_simulation_await(SinoRuntime *runtime, double at_s)
{
    SinoSimulation *of = runtime->simulation;
    if (of->release_count > 0 && at_s <= of->release[of->release_count - 1].at_s) return NULL;
    if (of->release_count == of->release_capacity) {
        const int64_t capacity = 2 * of->release_capacity + 8;
        SinoRelease *more = realloc(of->release, (size_t)capacity * sizeof *more);
        SINO_CHECK(more, SINO_FAILED, "no memory for the times at which projections come");
        of->release = more;
        of->release_capacity = capacity;
    }
    of->release[of->release_count++] = (SinoRelease){.at_s = at_s};
    const double left_s = of->begin_s + at_s - sino_runtime_now_s();
    if (left_s > 0) starpu_sleep((float)left_s);
    return NULL;
}

bool sino_simulation_time(struct starpu_task *task, bool on_device, SinoSimulatedTime *time)
{
    if (!(task->where & (on_device ? STARPU_CUDA : STARPU_CPU))) return false;
    if (on_device && starpu_cuda_worker_get_count() == 0) return false;
    *time = *time_of(task, on_device ? simulated->machine.device_kind : SINO_DEVICE_CPU);
    return time->us < never_us;
}

/* Its times on types of workers (models.h), 0 where it cannot run; returns the least one. */
static double times_of(struct starpu_task *task, double seconds[SINO_BOUND_TYPES])
{
    double least_s = INFINITY;
    for (int type = 0; type < SINO_BOUND_TYPES; type++) {
        SinoSimulatedTime time;
        const bool can = type < 2 && sino_simulation_time(task, type == 1, &time);
        seconds[type] = can ? 1e-6 * time.us : 0;
        if (can) least_s = fmin(least_s, seconds[type]);
    }
    return isfinite(least_s) ? least_s : 0;
}

/* Tells the data of a task when it can end at the earliest, by dependencies as StarPU has them. */
static void extend_path(SinoSimulation *of, struct starpu_task *task, const SinoAccesses *accesses)
{
    double seconds[SINO_BOUND_TYPES], end_s = of->release[of->release_count - 1].at_s;
    for (int i = 0; i < accesses->count; i++) {
        const SinoAccess *access = &accesses->access[i];
        if (access->mode & SINO_SCRATCH) continue;
        end_s = fmax(end_s, access->data->written_s);
        if (access->mode & SINO_WRITE) end_s = fmax(end_s, access->data->read_s);
    }
    end_s += times_of(task, seconds);
    of->path_s = fmax(of->path_s, end_s);
    for (int i = 0; i < accesses->count; i++) {
        const SinoAccess *access = &accesses->access[i];
        double *const until_s = access->mode & SINO_WRITE ? &access->data->written_s : &access->data->read_s;
        if (!(access->mode & SINO_SCRATCH)) *until_s = fmax(*until_s, end_s);
    }
}

/* Adds a task that has ended to its release. */
static void add_to_release(SinoSimulation *of, struct starpu_task *task)
{
    const SinoTaskRecord *record = task->cl_arg;
    SinoRelease *release = &of->release[record->release];
    double seconds[SINO_BOUND_TYPES];
    int64_t k = 0;
    release->end_s = of->end_s - of->begin_s;
    while (k < of->kind_count && strcmp(of->kind[k], record->kind->name) != 0) k++;
    if (k == SINO_RELEASE_KINDS) return;
    if (k == of->kind_count) of->kind[of->kind_count++] = record->kind->name;
    (void)times_of(task, seconds);
    sino_release_add(release, k, seconds);
}

static SinoSimulatedBounds bounds_of(const SinoSimulation *of)
{
    const int64_t workers[SINO_BOUND_TYPES] = {of->counts.core_count, of->counts.device_count};
    return (SinoSimulatedBounds){.area_s = sino_release_bound(of->release_count, of->release, of->kind_count, workers),
                                 .path_s = of->path_s};
}

void sino_simulation_submitted(struct starpu_task *task, const SinoAccesses *accesses)
{
    SinoTaskRecord *record = task->cl_arg;
    SinoSimulation *of = record->task.runtime->simulation;
    record->release = of->release_count - 1;
    extend_path(of, task, accesses);
    task->prologue_callback_pop_func = wait_before;
    task->prologue_callback_pop_arg = task->cl_arg;
}

static void ask_between(const SinoRuntime *runtime, SinoSimulation *of)
{
    for (int number = 0; number < SINO_BETWEEN_CLASSES; number++)
        of->between_s[number] =
            sino_task_between_s(simulated->costs, sino_runtime_scheduler(runtime), (int64_t)sino_between_bytes(number));
}

/* ---- counting ---- */

SinoStatus sino_simulation_begin(SinoRuntime *runtime)
{
    SinoSimulation *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the simulation", &made));
    runtime->simulation = made;
    sino_simulated_forget_files(); /* StarPU has read them, that of all ranks */
    ask_between(runtime, made);
    made->begin_s = sino_runtime_now_s();
    SINO_TRY(sino_simulation_await(runtime, 0));
    SinoSimulationCounts *counts = &made->counts;
    counts->worker_count = starpu_worker_get_count();
    counts->core_count = starpu_cpu_worker_get_count();
    counts->device_count = starpu_cuda_worker_get_count();
    counts->node_count = starpu_memory_nodes_get_count();
    if (counts->node_count > SINO_SIMULATED_NODES_MAX) counts->node_count = SINO_SIMULATED_NODES_MAX;
    for (int64_t n = 0; n < counts->node_count; n++)
        starpu_memory_node_get_name((unsigned)n, counts->node[n].name, sizeof counts->node[n].name);
    return NULL;
}

void sino_simulation_end(SinoRuntime *runtime)
{
    if (runtime->simulation) free(runtime->simulation->release);
    free(runtime->simulation);
    runtime->simulation = NULL;
}

static SinoSimulatedKind *find_kind(SinoSimulationCounts *counts, const char *name, unsigned device)
{
    int64_t i = 0;
    while (i < counts->kind_count && (counts->kind[i].device != device || strcmp(counts->kind[i].name, name) != 0)) i++;
    if (i == SINO_SIMULATED_KINDS_MAX) return NULL;
    if (i == counts->kind_count)
        counts->kind[counts->kind_count++] = (SinoSimulatedKind){.name = name, .device = device};
    return &counts->kind[i];
}

static void look_at_memory(SinoSimulationCounts *counts, unsigned node)
{
    const int64_t total = starpu_memory_get_total(node);
    if ((int64_t)node >= counts->node_count || total <= 0) return;
    const int64_t used = total - (int64_t)starpu_memory_get_available(node);
    if (used > counts->node[node].most_bytes) counts->node[node].most_bytes = used;
}

void sino_simulation_ended(SinoRuntime *runtime, struct starpu_task *task)
{
    SinoSimulation *of = runtime->simulation;
    SinoSimulationCounts *counts = &of->counts;
    const struct starpu_profiling_task_info *info = task->profiling_info;
    const int worker = info ? info->workerid : starpu_worker_get_id();
    const unsigned device = device_of(starpu_worker_get_type(worker));
    const SinoTaskRecord *record = task->cl_arg;
    const SinoSimulatedTime *time = &record->time[place_of(device)];
    SinoSimulatedKind *kind = find_kind(counts, record->kind->name, device);
    counts->task_count++;
    counts->task_s += 1e-6 * time->us;
    counts->by_source[time->source]++;
    of->error_s += 1e-6 * time->us * time->error;
    of->end_s = sino_runtime_now_s();
    add_to_release(of, task);
    if (device != SINO_DEVICE_CPU) look_at_memory(counts, starpu_worker_get_memory_node((unsigned)worker));
    if (!kind) return;
    kind->count++;
    kind->seconds += 1e-6 * time->us;
    kind->by_source[time->source]++;
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const SinoSimulatedKind *)a)->seconds, y = ((const SinoSimulatedKind *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

static SinoStatus list_links(SinoRuntime *runtime, SinoSimulationCounts *counts)
{
    const int buses = starpu_bus_get_count();
    SINO_TRY(sino_allocate(buses, sizeof *counts->link, "links", &counts->link));
    for (int bus = 0; bus < buses; bus++) {
        const SinoBusTotal total = sino_transfers_total(runtime->transfers, bus);
        SinoSimulatedLink *link = &counts->link[counts->link_count];
        if (total.count == 0) continue;
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(bus), link->from, sizeof link->from);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(bus), link->to, sizeof link->to);
        link->count = total.count;
        link->bytes = total.bytes;
        counts->link_count++;
    }
    return NULL;
}

SinoStatus sino_simulation_counts(SinoRuntime *runtime, SinoSimulationCounts *counts)
{
    const SinoSimulation *of = runtime->simulation;
    *counts = of->counts;
    counts->makespan_s = of->end_s - of->begin_s;
    counts->error = counts->task_s > 0 ? of->error_s / counts->task_s : 0;
    counts->node[0].most_bytes = sino_data_most_bytes(runtime);
    counts->messages = sino_profile_messages(runtime->profile);
    counts->bounds = bounds_of(of);
    counts->lateness = sino_release_lateness(of->release_count - 1, of->release + 1);
    qsort(counts->kind, (size_t)counts->kind_count, sizeof *counts->kind, by_seconds);
    return list_links(runtime, counts);
}
