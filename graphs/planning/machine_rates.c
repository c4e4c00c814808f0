/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: a rank's node, from this machine or a machine file, the settings, and tables of `sinodag bench --csv`. */
#include "machine_rates.h"

#include "bench_csv.h"
#include "job_kind.h"
#include "platform.h"

#include <string.h>

static bool is_table(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && strcmp(ending, ".csv") == 0;
}

/* Tables of `bench` give the rates of kernels and memory of this machine. */
static SinoStatus read_table(const SinoSettings *settings, SinoMachineFile *machine)
{
    SinoBenchRates bench;
    SINO_TRY(sino_bench_csv_read(settings->plan.machine, sino_precision_name(settings->projection.precision), &bench));
    sino_machine_preset("here", machine);
    machine->core.gflops = bench.kernel_gflops;
    machine->core.memory_gbps = bench.memory_gbps;
    return NULL;
}

SinoStatus sino_machine_named(const SinoSettings *settings, SinoMachineFile *machine)
{
    if (settings->plan.machine && is_table(settings->plan.machine)) return read_table(settings, machine);
    return sino_machine_file_open("--machine", settings->plan.machine ? settings->plan.machine : "usual", machine);
}

/* Of `usual`, `here`, `summit` and tables of bench a plan takes the rates alone. The paper of `summit` has workers that
 * are its GPUs, as many as the topology says. */
static bool gives_rates_only(const SinoPlanSettings *settings)
{
    static const char *const name[] = {"usual", "here", "summit"};
    if (!settings->machine || is_table(settings->machine)) return true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcmp(settings->machine, name[i]) == 0) return true;
    return false;
}

/* If the nodes have devices, products run there, and partial sums travel between them. */
static SinoRates rates_of(const SinoMachineFile *machine)
{
    const bool devices = machine->device_count > 0;
    const SinoProcessorRates *rates = devices ? &machine->device : &machine->core;
    return (SinoRates){.kernel_gflops = rates->gflops,
                       .memory_gbps = rates->memory_gbps,
                       .socket_gbps = devices ? machine->device_device.gbps : machine->socket_gbps,
                       .node_gbps = machine->node_gbps,
                       .link_gbps = machine->network.gbps,
                       .link_latency_us = machine->network.latency_us,
                       .file_gbps = machine->file_gbps};
}

/* Counts are planned for cores; cone_model.h has the devices of FDK. */
static void take_cores(SinoMachineFile *file)
{
    file->device_kind = 0;
    file->device_count = 0;
}

/* What a node of another machine has. */
static void take_node(const SinoMachineFile *file, SinoMachine *machine)
{
    machine->worker_count = file->cores + file->device_count;
    machine->socket_count = file->sockets;
    machine->memory_bytes = file->memory_bytes / 10 * 8;
    machine->memory_given = true;
    machine->rates.of_devices = file->device_count > 0;
    if (file->device_count > 0)
        machine->devices =
            sino_device_room_of(file->device_kind == SINO_DEVICE_CUDA, file->device_count, file->device_bytes);
}

static double given_or(double given, double otherwise)
{
    return given > 0 ? given : otherwise;
}

static SinoRates override(const SinoPlanSettings *settings, const SinoRates *rates)
{
    return (SinoRates){.of_devices = rates->of_devices,
                       .kernel_gflops = given_or(settings->kernel_gflops, rates->kernel_gflops),
                       .memory_gbps = given_or(settings->memory_gbps, rates->memory_gbps),
                       .socket_gbps = given_or(settings->socket_gbps, rates->socket_gbps),
                       .node_gbps = given_or(settings->node_gbps, rates->node_gbps),
                       .link_gbps = given_or(settings->link_gbps, rates->link_gbps),
                       .link_latency_us = given_or(settings->link_latency_us, rates->link_latency_us),
                       .file_gbps = given_or(settings->file_gbps, rates->file_gbps)};
}

SinoStatus sino_machine_new(const SinoSettings *settings, int64_t worker_count, SinoMachine *machine)
{
    SinoMachineFile file;
    SINO_TRY(sino_machine_named(settings, &file));
    const bool whole = !gives_rates_only(&settings->plan);
    if (whole && !sino_job_kind(settings)->devices) take_cores(&file);
    *machine = (SinoMachine){.worker_count = sino_platform_worker_count(),
                             .socket_count = sino_platform_socket_count(),
                             .memory_bytes = sino_platform_available_bytes() / 10 * 8,
                             .memory_given = settings->runtime.memory_bytes > 0,
                             .rates = rates_of(&file),
                             .file = file};
    if (whole) take_node(&file, machine);
    if (settings->runtime.workers) machine->worker_count = settings->runtime.workers + machine->devices.count;
    if (worker_count) machine->worker_count = worker_count;
    if (settings->runtime.memory_bytes) machine->memory_bytes = settings->runtime.memory_bytes;
    machine->rates = override(&settings->plan, &machine->rates);
    return NULL;
}

SinoStatus sino_machine_here(const SinoSettings *settings, const SinoRuntime *runtime, SinoMachine *machine)
{
    SINO_TRY(sino_machine_new(settings, sino_runtime_worker_count(runtime), machine));
    machine->devices = sino_device_room(runtime);
    return NULL;
}

SinoStatus sino_machine_agree(SinoProcesses *processes, SinoMachine *machine)
{
    SinoDeviceRoom *devices = &machine->devices;
    SINO_TRY(sino_processes_least(processes, &machine->memory_bytes));
    SINO_TRY(sino_processes_largest(processes, &machine->worker_count));
    SINO_TRY(sino_processes_largest(processes, &machine->socket_count));
    SINO_TRY(sino_processes_least(processes, &devices->bytes));
    SINO_TRY(sino_processes_least(processes, &devices->count));
    SINO_TRY(sino_processes_least(processes, &devices->slices));
    SINO_TRY(sino_processes_largest(processes, &devices->held_bytes[0]));
    return sino_processes_largest(processes, &devices->held_bytes[1]);
}
