/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate: the task graph of a reconstruction in virtual time, on a machine that need not be here.
 *
 * It goes as recon goes (recon_volume.c, recon_parallel.c): plan, operator, slabs. The operator is a sketch
 * (rays_sketch.c), the rotation axis is taken as known, and nothing is read or written. */
#include "simulate.h"

#include "arithmetic.h"
#include "checksum_task.h"
#include "dropped.h"
#include "job_private.h"
#include "memory.h"
#include "plan_report.h"
#include "platform.h"
#include "recon.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Part of a machine's memory that a run takes, as of recon's --memory. */
enum { MEMORY_PERCENT = 80 };

typedef struct Simulate {
    SinoSettings settings; /* with what follows from the machine; owns nothing */
    SinoLog *log;
    SinoProcesses *processes; /* not owned */
    const SinoMachineFile *machine;
    SinoImagined imagined; /* a scan without a file */
    SinoInput input;
    SinoRuntime *runtime;
    const SinoSolver *solver;
    SinoTeam team;
    SinoEarlyLoad *early;
    SinoOperator *op;
    SinoRecord record;
    char checksum[17];
    int64_t slice_count; /* of all ranks */
    double begin_s, built_s, end_s;
} Simulate;

static SinoStatus open_input(Simulate *of)
{
    if (!of->settings.file_name) return sino_plan_imagine(&of->settings, &of->imagined, &of->input);
    SINO_TRY(sino_input_try(&of->settings));
    return sino_input_open(&of->settings, of->log, &of->input);
}

/* CUDA devices of StarPU's simulation play OpenCL devices (simulation.h). */
static unsigned played(unsigned devices)
{
    const unsigned others = devices & ~(unsigned)SINO_DEVICE_OPENCL;
    return devices == SINO_DEVICE_ALL || others == devices ? devices : others | SINO_DEVICE_CUDA;
}

static SinoStatus start_runtime(Simulate *of)
{
    const SinoSettings *settings = &of->settings;
    char *text = NULL;
    SINO_TRY(sino_recon_check_reports(settings));
    SINO_TRY(sino_settings_text(settings, SINO_VERB_SIMULATE, &text));
    /* Devices are known beforehand, so that StarPU need not start again, which it cannot under SMPI. */
    const unsigned devices = of->machine->device_count > 0 ? settings->devices : settings->devices & SINO_DEVICE_CPU;
    const bool named = settings->devices != SINO_DEVICE_ALL || sino_processes_count(of->processes) == 1;
    const SinoRuntimeRequest request = {.processes = of->processes,
                                        .devices = played(named ? settings->devices : devices),
                                        .scheduler = settings->scheduler,
                                        .graph_path = settings->graph,
                                        .overwrite = settings->overwrite,
                                        .profile = settings->profile != NULL,
                                        .profile_path = sino_settings_profile_file(settings),
                                        .trace_path = settings->trace,
                                        .settings = text,
                                        .log = of->log};
    SinoStatus status = sino_runtime_start(&request, &of->runtime);
    free(text);
    return status;
}

static SinoStatus plan(Simulate *of)
{
    SINO_TRY(sino_team_new(of->runtime, of->processes, &of->settings, &of->input, &of->team));
    of->settings = of->team.settings;
    of->solver = sino_solver_of(&of->settings);
    return NULL;
}

static SinoStatus new_record(Simulate *of)
{
    const SinoSettings *settings = &of->settings;
    const SinoRecordShape shape =
        sino_record_shape(&of->input.geometry, of->input.slice_count, sino_solver_history_columns(of->solver, settings),
                          sino_solver_history_numbers(of->solver, settings), sino_settings_records_planes(settings));
    return sino_record_new(&shape, &of->record);
}

static SinoStatus take_share(Simulate *of)
{
    sino_team_take_slices(&of->team, &of->input);
    return of->op->idle ? NULL : sino_input_take_angles(&of->input, of->op->place);
}

static SinoStatus build(Simulate *of)
{
    SinoInput *input = &of->input;
    input->geometry.center = (double)(input->geometry.column_count - 1) / 2;
    SINO_TRY(sino_team_open(of->runtime, &of->team, input, NULL, &of->op, &of->early));
    return sino_processes_agree(of->processes, take_share(of));
}

static SinoStatus compute(Simulate *of)
{
    const SinoInput *input = &of->input;
    const int64_t bytes = sino_input_slab_bytes(input, input->angle_count, of->slice_count);
    const SinoReconstruction reconstruction = {
        .runtime = of->runtime,
        .regularization = {.strength = 1}, /* any; auto's search is not simulated */
        .settings = &of->settings,
        .input = input,
        .op = of->op,
        .solver = of->solver,
        .streaming = &of->team.forecast.plan.streaming,
        .scale = sino_recon_scale(&of->settings),
        .early = of->early,
        .record = &of->record};
    SinoStatus status = NULL;
    if (sino_processes_rank(of->processes) == 0)
        status = sino_insert_checksum(of->runtime, 0, NULL, bytes, of->checksum);
    SINO_TRY(sino_processes_agree(of->processes, status));
    return sino_processes_agree(of->processes, sino_reconstruct(&reconstruction));
}

/* Rank 0 reads the rows that show which projections direct methods leave out. */
static SinoStatus find_dropped(Simulate *of)
{
    if (!sino_dropped_matter(&of->settings) || sino_processes_rank(of->processes) > 0) return NULL;
    return sino_dropped_find(of->runtime, &of->input);
}

/* Ranks begin together, when they have agreed. */
static SinoStatus run(Simulate *of)
{
    SINO_TRY(sino_processes_agree(of->processes, open_input(of)));
    of->slice_count = of->input.slice_count;
    SINO_TRY(start_runtime(of));
    SINO_TRY(sino_processes_agree(of->processes, find_dropped(of)));
    SINO_TRY(sino_processes_agree(of->processes, plan(of)));
    SINO_TRY(sino_processes_agree(of->processes, new_record(of)));
    of->begin_s = sino_runtime_now_s();
    SINO_TRY(build(of));
    of->built_s = sino_runtime_now_s();
    SINO_TRY(compute(of));
    of->end_s = sino_runtime_now_s();
    return NULL;
}

/* Adds tasks and times of a kind that a rank has had. */
static void add_kind(SinoSimulationCounts *sum, const SinoSimulatedKind *kind)
{
    int64_t i = 0;
    while (i < sum->kind_count && (sum->kind[i].device != kind->device || strcmp(sum->kind[i].name, kind->name) != 0))
        i++;
    if (i == SINO_SIMULATED_KINDS_MAX) return;
    if (i == sum->kind_count)
        sum->kind[sum->kind_count++] = (SinoSimulatedKind){.name = kind->name, .device = kind->device};
    sum->kind[i].count += kind->count;
    sum->kind[i].seconds += kind->seconds;
    for (int s = 0; s < SINO_COST_SOURCES; s++) sum->kind[i].by_source[s] += kind->by_source[s];
}

/* Adds a rank to the first. */
static void add_rank(SinoSimulatedRank *all, const SinoSimulatedRank *rank)
{
    SinoSimulationCounts *sum = &all->counts;
    const SinoSimulationCounts *own = &rank->counts;
    const double error_s = sum->error * sum->task_s + own->error * own->task_s;
    all->building_s = fmax(all->building_s, rank->building_s);
    all->run_s = fmax(all->run_s, rank->run_s);
    sum->task_s += own->task_s;
    sum->between_s += own->between_s;
    sum->error = sum->task_s > 0 ? error_s / sum->task_s : 0;
    sum->worker_count += own->worker_count;
    sum->core_count += own->core_count;
    sum->device_count += own->device_count;
    sum->task_count += own->task_count;
    for (int s = 0; s < SINO_COST_SOURCES; s++) sum->by_source[s] += own->by_source[s];
    for (int64_t i = 0; i < own->kind_count; i++) add_kind(sum, &own->kind[i]);
    for (int64_t n = 0; n < sum->node_count && n < own->node_count; n++)
        sum->node[n].most_bytes = sino_larger(sum->node[n].most_bytes, own->node[n].most_bytes);
    sum->messages.count += own->messages.count;
    sum->messages.bytes += own->messages.bytes;
    sum->messages.seconds += own->messages.seconds;
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const SinoSimulatedKind *)a)->seconds, y = ((const SinoSimulatedKind *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_report(const Simulate *of, double wall_s, const SinoSimulatedRank *rank)
{
    const int64_t count = sino_processes_count(of->processes);
    SinoSimulateReport report = {.machine = of->machine,
                                 .plan = &of->team.forecast.plan,
                                 .input = &of->input,
                                 .algorithm = sino_algorithm_name(of->settings.algorithm),
                                 .scheduler = sino_runtime_scheduler(of->runtime),
                                 .communication = sino_communication_name(of->settings.communication),
                                 .slice_count = of->slice_count,
                                 .wall_s = wall_s,
                                 .all = rank[0],
                                 .rank_count = count,
                                 .ranks_per_node = sino_larger(1, of->settings.ranks_per_node),
                                 .rank = rank};
    SinoSimulationCounts *sum = &report.all.counts;
    for (int64_t r = 1; r < count; r++) add_rank(&report.all, &rank[r]);
    qsort(sum->kind, (size_t)sum->kind_count, sizeof *sum->kind, by_seconds);
    if (of->settings.json)
        sino_simulate_json(&report, stdout);
    else
        sino_simulate_print(&report, stdout);
}

/* Rank 0 prints. The ranks of a simulation share an address space, so that it can read what counts point to. */
static SinoStatus tell(const Simulate *of, double wall_s)
{
    SinoSimulatedRank own = {.building_s = of->built_s - of->begin_s, .run_s = of->end_s - of->begin_s}, *rank = NULL;
    SINO_TRY(sino_allocate(sino_processes_count(of->processes), sizeof *rank, "reports", &rank));
    SinoStatus status = sino_simulation_counts(of->runtime, &own.counts);
    status = sino_processes_agree(of->processes, status);
    if (!status) status = sino_processes_gather(of->processes, sizeof own, &own, rank);
    if (!status && sino_processes_rank(of->processes) == 0) print_report(of, wall_s, rank);
    if (!status) status = sino_processes_agree(of->processes, NULL); /* nobody frees links before */
    free(own.counts.link);
    free(rank);
    return status;
}

static void close_all(Simulate *of)
{
    sino_early_load_free(of->early);
    sino_operator_free(of->op);
    sino_team_free(&of->team);
    sino_record_free(&of->record);
}

static SinoStatus simulate(Simulate *of)
{
    const double begin_s = sino_platform_now_s();
    SinoStatus status = run(of);
    if (!status) status = tell(of, sino_platform_now_s() - begin_s);
    close_all(of);
    if (status)
        sino_runtime_abandon(of->runtime);
    else
        status = sino_runtime_stop(of->runtime);
    sino_input_close(&of->input);
    free(of->imagined.angle_rad);
    return status;
}

/* Devices that are named must be those of the machine. */
static SinoStatus check_devices(const SinoSettings *settings, const SinoMachineFile *machine)
{
    const unsigned named = settings->devices == SINO_DEVICE_ALL ? 0 : settings->devices & ~(unsigned)SINO_DEVICE_CPU;
    const bool opencl = machine->device_count > 0 && machine->device_kind == SINO_DEVICE_OPENCL;
    SINO_CHECK(!(named & SINO_DEVICE_OPENCL) || opencl, SINO_BAD_INPUT,
               "device is 'opencl'; the machine '%s' has no OpenCL device; allowed: cpu, all", machine->name);
    SINO_CHECK(!(named & SINO_DEVICE_CUDA) || !opencl, SINO_BAD_INPUT,
               "device is 'cuda'; the machine '%s' has OpenCL devices; allowed: cpu, opencl, all", machine->name);
    return NULL;
}

static SinoStatus check(const SinoSettings *settings, SinoMachineFile *machine)
{
    SinoSimulationRequest request;
    char launcher[SINO_SIMULATE_PATH];
    SINO_TRY(sino_simulate_machine(settings, machine));
    if (!SINO_SIMULATES) return sino_simulate_missing();
    SINO_TRY(check_devices(settings, machine));
    SINO_TRY(sino_simulate_request(settings, machine, launcher, &request));
    SINO_TRY(sino_simulation_check(&request));
    SINO_CHECK(request.ranks == 1 || !settings->scheduler || !strchr(settings->scheduler, ':'), SINO_BAD_INPUT,
               "scheduler is '%s', and there are %" PRId64 " ranks; allowed: a policy of StarPU's, since the copies of "
               "the program in a simulation cannot each have a shared object",
               settings->scheduler, request.ranks);
    SINO_CHECK(sino_simulation_machine(), SINO_FAILED, "the simulation did not begin");
    return NULL;
}

SinoStatus sino_simulate(const SinoSettings *settings, SinoJob *job, SinoLog *log)
{
    SinoMachineFile machine;
    SINO_TRY(sino_job_agree(job, check(settings, &machine)));
    Simulate of = {.settings = *settings,
                   .log = log,
                   .processes = sino_job_processes(job),
                   .machine = sino_simulation_machine(),
                   .solver = sino_solver_of(settings)};
    if (sino_processes_rank(of.processes) > 0) sino_log_mute(log);
    of.settings.workers = 0; /* the simulated machine has as many cores */
    if (settings->memory_bytes == 0) of.settings.memory_bytes = of.machine->memory_bytes / 100 * MEMORY_PERCENT;
    return simulate(&of);
}
