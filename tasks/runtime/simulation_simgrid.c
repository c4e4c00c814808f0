/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, over SimGrid: starts it, gives each task its time, and counts.
 *
 * SimGrid reads the description of the machine before StarPU's main calls the program, which is how StarPU is made: the
 * main of its library starts SimGrid, and calls starpu_main in an actor of it. The main function of this program
 * therefore describes the machine first, and then calls StarPU's. What is simulated is the state of the process. */
#include "simulation.h"

#include "device.h"
#include "ending.h"
#include "memory.h"
#include "runtime_private.h"
#include "simulated_machine.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char host_name[] = "simulated";

typedef struct Simulated {
    SinoMachineFile machine;
    char folder[64];
    SinoLastAct last; /* removes the folder */
    SinoTaskCosts *costs;
    SinoProgram *program;
    int argument_count, exit_code;
    char **arguments;
} Simulated;

static Simulated *simulated; /* NULL: the simulation has not begun */

const SinoMachineFile *sino_simulation_machine(void)
{
    return simulated ? &simulated->machine : NULL;
}

/* Called by StarPU's main, within the simulation. */
int starpu_main(int argument_count, char **arguments);
int starpu_main(int argument_count, char **arguments)
{
    (void)argument_count, (void)arguments;
    simulated->exit_code = simulated->program(simulated->argument_count, simulated->arguments);
    return simulated->exit_code;
}

SinoStatus sino_simulation_check(const SinoMachineFile *machine, int64_t workers, bool devices)
{
    SINO_CHECK(machine->nodes == 1, SINO_BAD_INPUT,
               "machine '%s' has %" PRId64 " nodes; allowed: 1, as several ranks are not simulated yet", machine->name,
               machine->nodes);
    SINO_CHECK(workers <= machine->cores, SINO_BAD_INPUT,
               "workers is %" PRId64 "; allowed: 1 to %" PRId64 ", the cores of the machine '%s'", workers,
               machine->cores, machine->name);
    SINO_CHECK(machine->cores + machine->device_count <= STARPU_MAXCPUS, SINO_BAD_INPUT,
               "machine '%s' has %" PRId64 " cores, and %" PRId64 " for its devices; this StarPU simulates at most %d",
               machine->name, machine->cores, machine->device_count, STARPU_MAXCPUS);
    if (!devices || machine->device_count == 0) return NULL;
    SINO_CHECK(machine->device_count <= STARPU_MAXCUDADEVS, SINO_BAD_INPUT,
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
    for (size_t at = 0; table && at < bytes; at += strlen(table + at) + 1)
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

static void remove_folder(void *of, FILE *clause)
{
    (void)clause;
    sino_simulated_machine_remove(((Simulated *)of)->folder);
}

/* Calls StarPU's main with arguments for SimGrid: it speaks only of what is critical. */
static SinoStatus call_starpu(void)
{
    char name[] = "sinodag", quiet[] = "--log=root.thresh:critical";
    char *arguments[] = {name, quiet, NULL};
    int (*starpu)(int, char **);
    void *const found = dlsym(RTLD_NEXT, "main"); /* POSIX: pointers to functions are pointers to void */
    SINO_CHECK(found, SINO_FAILED, "StarPU's library has no main, by which simulations begin");
    memcpy(&starpu, &found, sizeof starpu);
    (void)starpu(2, arguments);
    return NULL;
}

static void forget_files(void)
{
    sino_ending_remove(&simulated->last);
    sino_simulated_machine_remove(simulated->folder);
    simulated->folder[0] = '\0';
}

/* The times of tasks: of `here` as runs have measured them, too. Opened before StarPU's variables name another host. */
static SinoStatus open_costs(const SinoMachineFile *machine, SinoTaskCosts **costs)
{
    const bool measured = strcmp(machine->name, "here") == 0;
    char *directory = measured ? sino_models_directory() : NULL;
    SINO_CHECK(directory || !measured, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_task_costs_open(directory, machine, costs);
    free(directory);
    return status;
}

SinoStatus sino_simulation_run(const SinoMachineFile *machine, int64_t workers, bool devices, SinoProgram *program,
                               int argument_count, char **arguments, int *exit_code)
{
    static Simulated the;
    SINO_TRY(sino_simulation_check(machine, workers, devices));
    the =
        (Simulated){.machine = *machine, .program = program, .argument_count = argument_count, .arguments = arguments};
    if (!devices) the.machine.device_count = 0;
    if (workers > 0) the.machine.cores = workers;
    const int64_t cards = the.machine.device_count;
    SINO_TRY(open_costs(&the.machine, &the.costs));
    SinoStatus status =
        sino_simulated_machine_write(&the.machine, the.machine.cores + cards, cards, host_name, the.folder);
    if (status) {
        sino_task_costs_free(the.costs);
        return status;
    }
    the.last = (SinoLastAct){.act = remove_folder, .of = &the};
    sino_ending_add(&the.last);
    setenv("STARPU_PERF_MODEL_DIR", the.folder, 1);
    setenv("STARPU_HOSTNAME", host_name, 1);
    setenv("STARPU_SILENT", "1", 0);
    simulated = &the;
    status = call_starpu();
    forget_files();
    sino_task_costs_free(the.costs);
    simulated = NULL;
    if (!status) *exit_code = the.exit_code;
    return status;
}

/* ---- the times of tasks ---- */

struct SinoSimulation {
    SinoSimulationCounts counts;
    double error_s; /* Σ time · expected error */
    double begin_s, end_s;
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

/* By rates. A rate knows flops and bytes only, so tasks may have told more of what they do. Files are slower than
 * memory; all tasks that use them take turns. */
static double rate_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskRecord *record,
                     SinoTaskFeatures features)
{
    const int64_t file_bytes = record->file_bytes == SINO_FILE_DATA ? record->bytes : record->file_bytes;
    features.symbol = "";
    if (record->effort > 0) features.flops = record->effort;
    if (record->part_bytes > 0) features.bytes = record->part_bytes;
    return fmax(sino_task_cost_s(costs, device, &features, NULL, NULL),
                (double)file_bytes / (1e9 * simulated->machine.file_gbps));
}

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
    time->us = isfinite(seconds) ? fmax(1e6 * seconds, 1e-3) : 1e12; /* StarPU wants a time above 0 */
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

/* ---- counting ---- */

SinoStatus sino_simulation_begin(SinoRuntime *runtime)
{
    SinoSimulation *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the simulation", &made));
    runtime->simulation = made;
    forget_files(); /* StarPU has read them */
    made->begin_s = sino_runtime_now_s();
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

void sino_simulation_ended(SinoRuntime *runtime, const struct starpu_task *task)
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
    qsort(counts->kind, (size_t)counts->kind_count, sizeof *counts->kind, by_seconds);
    return list_links(runtime, counts);
}
