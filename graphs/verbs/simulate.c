/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate: the task graph of a reconstruction in virtual time, on a machine that need not be here.
 *
 * It goes as recon goes (recon_volume.c, recon_parallel.c): plan, operator, slabs. The operator is a sketch
 * (rays_sketch.c), the rotation axis is taken as known, and nothing is read or written. */
#include "simulate.h"

#include "arithmetic.h"
#include "checksum_task.h"
#include "memory.h"
#include "plan_report.h"
#include "platform.h"
#include "recon.h"
#include "workflows.h"

#include <stdlib.h>

/* Part of a machine's memory that a run takes, as of recon's --memory. */
enum { MEMORY_PERCENT = 80 };

typedef struct Simulate {
    SinoSettings settings; /* with what follows from the machine; owns nothing */
    SinoLog *log;
    const SinoMachineFile *machine;
    double *angle_rad; /* of a scan without a file; owned */
    SinoScanInfo info;
    SinoInput input;
    SinoRuntime *runtime;
    const SinoSolver *solver;
    SinoTeam team;
    SinoOperator *op;
    SinoRecord record;
    char checksum[17];
    double begin_s, built_s, end_s;
} Simulate;

/* A scan without a file: counts of two bytes, one flat and one dark field. */
static SinoStatus imagine(Simulate *of)
{
    const SinoSettings *settings = &of->settings;
    SINO_TRY(sino_plan_angles(settings, SINO_PI, &of->angle_rad));
    of->info = (SinoScanInfo){.kind = "imagined",
                              .stored_type = "uint16",
                              .type = SINO_COUNT_UINT16,
                              .angle_count = settings->angles,
                              .row_count = settings->slices,
                              .column_count = settings->columns,
                              .flat_count = 1,
                              .dark_count = 1,
                              .chunk_rows = 1,
                              .angle_rad = of->angle_rad,
                              .remark = ""};
    return sino_input_imagine(settings, &of->info, &of->input);
}

static SinoStatus open_input(Simulate *of)
{
    if (!of->settings.file_name) return imagine(of);
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
    const SinoRuntimeRequest request = {.devices = played(settings->devices),
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
    const SinoProblem *problem = &of->team.forecast.plan.problem;
    SINO_TRY(sino_team_new(of->runtime, NULL, &of->settings, &of->input, &of->team));
    SINO_CHECK(problem->projector == SINO_PROJECTOR_RAYS, SINO_BAD_INPUT,
               "projector is '%s', by choice of the plan or yours; only rays are simulated yet: --projector rays",
               sino_projector_name(problem->projector));
    return NULL;
}

static SinoStatus new_record(Simulate *of)
{
    const SinoSettings *settings = &of->settings;
    const SinoRecordShape shape =
        sino_record_shape(&of->input.geometry, of->input.slice_count, sino_solver_history_columns(of->solver, settings),
                          sino_solver_history_numbers(of->solver, settings), settings->pictures);
    return sino_record_new(&shape, &of->record);
}

static SinoStatus build(Simulate *of)
{
    SinoInput *input = &of->input;
    input->geometry.center = (double)(input->geometry.column_count - 1) / 2;
    const SinoOperatorRequest wanted = sino_team_operator(&of->team, &input->geometry, NULL);
    SINO_TRY(sino_operator_new(of->runtime, &wanted, &of->op));
    sino_team_take_slices(&of->team, input);
    return sino_input_take_angles(input, of->op->place);
}

static SinoStatus compute(Simulate *of)
{
    const SinoInput *input = &of->input;
    const int64_t bytes = sino_input_slab_bytes(input, input->angle_count, input->slice_count);
    const SinoReconstruction reconstruction = {.runtime = of->runtime,
                                               .settings = &of->settings,
                                               .input = input,
                                               .op = of->op,
                                               .solver = of->solver,
                                               .streaming = &of->team.forecast.plan.streaming,
                                               .scale = sino_recon_scale(&of->settings),
                                               .record = &of->record};
    SINO_TRY(sino_insert_checksum(of->runtime, 0, NULL, bytes, of->checksum));
    return sino_reconstruct(&reconstruction);
}

static SinoStatus run(Simulate *of)
{
    SINO_TRY(open_input(of));
    SINO_TRY(start_runtime(of));
    SINO_TRY(plan(of));
    SINO_TRY(new_record(of));
    of->begin_s = sino_runtime_now_s();
    SINO_TRY(build(of));
    of->built_s = sino_runtime_now_s();
    SINO_TRY(compute(of));
    of->end_s = sino_runtime_now_s();
    return NULL;
}

static SinoStatus tell(const Simulate *of, double wall_s)
{
    SinoSimulationCounts counts;
    SINO_TRY(sino_simulation_counts(of->runtime, &counts));
    const SinoSimulateReport report = {.machine = of->machine,
                                       .plan = &of->team.forecast.plan,
                                       .input = &of->input,
                                       .algorithm = sino_algorithm_name(of->settings.algorithm),
                                       .scheduler = sino_runtime_scheduler(of->runtime),
                                       .building_s = of->built_s - of->begin_s,
                                       .run_s = of->end_s - of->begin_s,
                                       .wall_s = wall_s,
                                       .counts = &counts};
    if (of->settings.json)
        sino_simulate_json(&report, stdout);
    else
        sino_simulate_print(&report, stdout);
    free(counts.link);
    return NULL;
}

static void close_all(Simulate *of)
{
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
    free(of->angle_rad);
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

SinoStatus sino_simulate(const SinoSettings *settings, SinoLog *log)
{
    SinoMachineFile machine;
    SINO_TRY(sino_simulate_machine(settings, &machine));
    if (!SINO_SIMULATES) return sino_simulate_missing();
    SINO_TRY(check_devices(settings, &machine));
    SINO_TRY(sino_simulation_check(&machine, settings->workers, settings->devices & ~(unsigned)SINO_DEVICE_CPU));
    Simulate of = {.settings = *settings,
                   .log = log,
                   .machine = sino_simulation_machine(),
                   .solver = sino_solver_find(settings->algorithm)};
    SINO_CHECK(of.machine, SINO_FAILED, "the simulation did not begin");
    of.settings.workers = 0; /* the simulated machine has as many cores */
    if (settings->memory_bytes == 0) of.settings.memory_bytes = machine.memory_bytes / 100 * MEMORY_PERCENT;
    return simulate(&of);
}
