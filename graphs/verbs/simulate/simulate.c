/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate: the task graph of a reconstruction in virtual time, on a machine that need not be here.
 *
 * It goes as recon goes (recon_volume.c), by the same kinds (recon_volume.h): searches, plan, operator, tasks. What an
 * operator stores is a sketch (rays_sketch.c, matrix_blocks.c), of files only heads and samples are read, and nothing
 * is written. What the values of a scan decide is assumed, and the report says so. */
#include "simulate.h"

#include "files_tasks.h"
#include "job_private.h"
#include "memory.h"
#include "plan_report.h"
#include "platform.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Part of a machine's memory that a run takes, as of recon's --memory. */
enum { MEMORY_PERCENT = 80 };

typedef struct Simulate {
    const SinoSettings *given;
    SinoSettings settings; /* with what follows from the machine; owns nothing */
    const SinoMachineFile *machine;
    SinoImagined imagined; /* a scan without a file */
    SinoRecon recon;       /* what is simulated */
    double building_s;
} Simulate;

/* Of a followed scan the part of the run is simulated that follows it. */
static SinoStatus check_follow(const SinoRecon *recon)
{
    const int64_t ranks = sino_processes_count(recon->processes);
    if (!recon->settings->input.follow) return NULL;
    SINO_CHECK(!sino_recon_goes_on(recon->settings), SINO_BAD_INPUT,
               "simulate --follow is given with --algorithm %s; allowed: fbp or fdk, which follow the scan",
               sino_algorithm_name(recon->settings->solver.algorithm));
    SINO_CHECK(ranks == 1, SINO_BAD_INPUT, "simulate --follow is given in %" PRId64 " processes; allowed: one", ranks);
    return sino_recon_check_follow(recon);
}

static SinoStatus open_input(Simulate *of)
{
    SinoRecon *recon = &of->recon;
    SINO_TRY(check_follow(recon));
    SINO_TRY(of->settings.input.file_name ? recon->kind->try_input(&of->settings)
                                          : sino_plan_imagine(&of->settings, &of->imagined, &recon->input));
    SINO_TRY(recon->kind->begin(recon));
    recon->input.arrival_per_s = of->settings.plan.arrival_per_s;
    return NULL;
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
    const unsigned devices =
        of->machine->device_count > 0 ? settings->runtime.devices : settings->runtime.devices & SINO_DEVICE_CPU;
    const bool named = settings->runtime.devices != SINO_DEVICE_ALL || sino_processes_count(of->recon.processes) == 1;
    const SinoRuntimeRequest request = {.processes = of->recon.processes,
                                        .devices = played(named ? settings->runtime.devices : devices),
                                        .scheduler = settings->runtime.scheduler,
                                        .graph_path = settings->runtime.graph,
                                        .overwrite = settings->output.overwrite,
                                        .profile = settings->runtime.profile != NULL,
                                        .profile_path = sino_settings_profile_file(&settings->runtime),
                                        .trace_path = settings->runtime.trace,
                                        .settings = text,
                                        .log = of->recon.log};
    SinoStatus status = sino_runtime_start(&request, &of->recon.runtime);
    free(text);
    return status;
}

/* Bytes of the input: of a scan, which may have no file, the part that is reconstructed; else of its files. */
static int64_t input_bytes(const SinoRecon *recon)
{
    const SinoInput *input = &recon->input;
    int64_t bytes = 0;
    struct stat about;
    if (input->info) return sino_input_slab_bytes(input, input->info->angle_count, input->slice_count);
    for (int64_t i = 0; i < recon->files.count; i++)
        if (stat(recon->files.name[i], &about) == 0) bytes += about.st_size;
    return bytes;
}

/* What the scan decides is assumed (assumptions), and not told as if it was found. */
static SinoStatus choose(SinoRecon *recon)
{
    sino_log_mute(recon->log, true);
    SinoStatus status = sino_recon_choose(recon);
    sino_log_mute(recon->log, sino_processes_rank(recon->processes) > 0);
    return status;
}

static SinoStatus compute(SinoRecon *recon, int64_t bytes)
{
    SinoStatus status = NULL;
    if (sino_processes_rank(recon->processes) == 0 && !recon->whole && !recon->settings->input.follow)
        status = sino_insert_checksum(recon->runtime, 0, NULL, bytes, recon->checksum);
    SINO_TRY(sino_processes_agree(recon->processes, status));
    return sino_processes_agree(recon->processes, recon->kind->compute(recon));
}

/* After all tasks. */
static void free_rest(SinoRecon *recon)
{
    sino_record_free(&recon->record);
    sino_integrals_free(recon->integrals);
    sino_input_close(&recon->input);
}

/* Collective. A reconstruction of half of the projections, which takes the choices of the whole one. */
static SinoStatus run_half(const SinoRecon *whole, int half)
{
    const SinoSettings settings = sino_recon_half_sets_settings(whole, half);
    SinoRecon recon = sino_recon_half_sets_run(whole, &settings);
    SinoStatus status = sino_processes_agree(recon.processes, recon.kind->begin(&recon));
    if (!status) status = sino_recon_judge(&recon);
    if (!status) status = sino_recon_divide(&recon);
    if (!status) status = sino_recon_build(&recon);
    if (!status) status = choose(&recon);
    if (!status) status = compute(&recon, 0);
    status = sino_runtime_wait_after(recon.runtime, status);
    recon.kind->release(&recon);
    free_rest(&recon);
    return status;
}

/* Collective. With --halves, as recon does. */
static SinoStatus run_halves(SinoRecon *recon)
{
    if (!recon->settings->output.halves) return NULL;
    sino_recon_half_sets_rest(recon);
    for (int h = 0; h < SINO_OUTPUT_HALVES; h++) SINO_TRY(run_half(recon, h));
    return NULL;
}

/* Ranks begin together, when they have agreed. */
static SinoStatus run(Simulate *of)
{
    SinoRecon *recon = &of->recon;
    SINO_TRY(sino_processes_agree(recon->processes, open_input(of)));
    SINO_TRY(sino_recon_judge(recon));
    const int64_t bytes = input_bytes(recon);
    SINO_TRY(start_runtime(of));
    SINO_TRY(sino_recon_divide(recon));
    const double begin_s = sino_runtime_now_s();
    SINO_TRY(sino_recon_build(recon));
    of->building_s = sino_runtime_now_s() - begin_s;
    SINO_TRY(choose(recon));
    SINO_TRY(compute(recon, bytes));
    return run_halves(recon);
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
    sum->bounds.area_s = fmax(sum->bounds.area_s, own->bounds.area_s);
    sum->bounds.path_s = fmax(sum->bounds.path_s, own->bounds.path_s);
    sum->messages.count += own->messages.count;
    sum->messages.bytes += own->messages.bytes;
    sum->messages.seconds += own->messages.seconds;
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const SinoSimulatedKind *)a)->seconds, y = ((const SinoSimulatedKind *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* ---- what is assumed ---- */

static bool searches_center(const SinoRecon *recon, const SinoSettings *given)
{
    return recon->kind->find_center && given->input.file_name && isnan(given->center.rotation_axis);
}

static bool searches_strength(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->solver.algorithm == SINO_ALGORITHM_FISTA && isnan(given->prior.regularization);
}

static bool searches_iterations(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->solver.iterations == 0 && given->solver.algorithm != SINO_ALGORITHM_FISTA;
}

static bool has_tolerance(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->solver.tolerance > 0 || given->solver.likelihood_tolerance > 0;
}

static bool reads_earlier(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->output.resume || given->projection.cache;
}

static bool packs_volume(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->output.format == SINO_SAVE_ZARR || given->output.compression != SINO_COMPRESSION_NONE;
}

static bool compares_halves(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return given->output.halves;
}

static bool shows_page(const SinoRecon *recon, const SinoSettings *given)
{
    (void)recon;
    return sino_settings_live_page(&given->input);
}

static const struct {
    bool (*holds)(const SinoRecon *recon, const SinoSettings *given);
    const char *text;
} assumptions[SINO_SIMULATE_ASSUMED] = {
    {searches_center, "the rotation axis is in the middle, and the methods that find it agree"},
    {searches_strength, "the best strength of the prior is among those that are tried first, and no prior is better"},
    {searches_iterations, "--iterations auto finds as many as it may"},
    {has_tolerance, "nothing stops before its last iteration"},
    {reads_earlier, "no earlier run has stored anything for --resume or --operator-cache"},
    {packs_volume, "voxels are stored as they are, without compression and pyramid"},
    {compares_halves, "nothing compares both volumes of --halves"},
    {shows_page, "no page of --follow is made"}};

static void list_assumed(const Simulate *of, SinoSimulateReport *report)
{
    for (int i = 0; i < SINO_SIMULATE_ASSUMED; i++)
        if (assumptions[i].holds(&of->recon, of->given)) report->assumed[report->assumed_count++] = assumptions[i].text;
}

static void print_report(const Simulate *of, double wall_s, const SinoSimulatedRank *rank)
{
    const SinoRecon *recon = &of->recon;
    const int64_t count = sino_processes_count(recon->processes);
    SinoSimulateReport report = {.machine = of->machine,
                                 .facts = recon->kind->facts(recon),
                                 .sizes = recon->kind->sizes(recon),
                                 .algorithm = sino_algorithm_name(of->settings.solver.algorithm),
                                 .precision = sino_precision_name(of->settings.projection.precision),
                                 .scheduler = sino_runtime_scheduler(recon->runtime),
                                 .communication = sino_communication_name(of->settings.team.communication),
                                 .arrival_per_s = of->settings.plan.arrival_per_s,
                                 .wall_s = wall_s,
                                 .all = rank[0],
                                 .rank_count = count,
                                 .ranks_per_node = sino_larger(1, of->settings.plan.ranks_per_node),
                                 .rank = rank};
    SinoSimulationCounts *sum = &report.all.counts;
    list_assumed(of, &report);
    for (int64_t r = 1; r < count; r++) add_rank(&report.all, &rank[r]);
    qsort(sum->kind, (size_t)sum->kind_count, sizeof *sum->kind, by_seconds);
    if (of->settings.output.json)
        sino_simulate_json(&report, stdout);
    else
        sino_simulate_print(&report, stdout);
}

/* Rank 0 prints. The ranks of a simulation share an address space, so that it can read what counts point to. */
static SinoStatus tell(const Simulate *of, double wall_s)
{
    SinoProcesses *processes = of->recon.processes;
    SinoSimulatedRank own = {.building_s = of->building_s}, *rank = NULL;
    const int64_t count = sino_processes_count(processes);
    const bool first = sino_processes_rank(processes) == 0;
    SINO_TRY(sino_allocate(first ? count : 0, sizeof *rank, "reports", &rank));
    SinoStatus status = sino_simulation_counts(of->recon.runtime, &own.counts);
    own.run_s = own.counts.makespan_s;
    status = sino_processes_agree(processes, status);
    if (first) rank[0] = own;
    for (int64_t r = 1; r < count && !status; r++)
        status = sino_processes_collect(processes, r, sizeof own, &own, first ? &rank[r] : NULL);
    if (!status && first) print_report(of, wall_s, rank);
    if (!status) status = sino_processes_agree(processes, NULL); /* nobody frees links before */
    free(own.counts.link);
    free(rank);
    return status;
}

static SinoStatus simulate(Simulate *of)
{
    SinoRecon *recon = &of->recon;
    const double begin_s = sino_platform_now_s();
    SinoStatus status = run(of);
    if (!status) status = tell(of, sino_platform_now_s() - begin_s);
    recon->kind->release(recon);
    if (status)
        sino_runtime_abandon(recon->runtime);
    else
        status = sino_runtime_stop(recon->runtime);
    free_rest(recon);
    free(of->imagined.angle_rad);
    return status;
}

/* Devices that are named must be those of the machine. */
static SinoStatus check_devices(const SinoRuntimeSettings *settings, const SinoMachineFile *machine)
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
    SINO_TRY(check_devices(&settings->runtime, machine));
    SINO_TRY(sino_simulate_request(settings, machine, launcher, &request));
    SINO_TRY(sino_simulation_check(&request));
    SINO_CHECK(request.ranks == 1 || !settings->runtime.scheduler || !strchr(settings->runtime.scheduler, ':'),
               SINO_BAD_INPUT,
               "scheduler is '%s', and there are %" PRId64 " ranks; allowed: a policy of StarPU's, since the copies of "
               "the program in a simulation cannot each have a shared object",
               settings->runtime.scheduler, request.ranks);
    SINO_CHECK(sino_simulation_machine(), SINO_FAILED, "the simulation did not begin");
    return NULL;
}

SinoStatus sino_simulate(const SinoSettings *settings, SinoJob *job, SinoLog *log)
{
    SinoMachineFile machine;
    SINO_TRY(sino_job_agree(job, check(settings, &machine)));
    const SinoJobKind *kind = sino_job_kind(settings);
    Simulate of = {.given = settings,
                   .settings = *settings,
                   .machine = sino_simulation_machine(),
                   .recon = {.job = kind,
                             .kind = sino_recon_kinds[kind->job],
                             .settings = &of.settings,
                             .log = log,
                             .processes = sino_job_processes(job)}};
    sino_log_mute(log, sino_processes_rank(of.recon.processes) > 0);
    of.settings.projection.cache = NULL;
    of.settings.runtime.workers = 0; /* the simulated machine has as many cores */
    if (settings->runtime.memory_bytes == 0)
        of.settings.runtime.memory_bytes = of.machine->memory_bytes / 100 * MEMORY_PERCENT;
    return simulate(&of);
}
