/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone machine: the rates of cone_model.h from the settings, presets, and files of `sinodag bench --geometry cone
 * --csv`. */
#include "cone_model.h"

#include "arithmetic.h"
#include "bench_csv.h"

#include <inttypes.h>
#include <string.h>

/* One core of today's servers, measured in docs/lab/cones.md: [precision][kernels share positions]. */
static const SinoBenchConeRates usual[][2] = {[SINO_SINGLE] = {{.backproject_gups = 0.9, .filter_gpixels = 0.07},
                                                               {.backproject_gups = 1.8, .filter_gpixels = 0.07}},
                                              [SINO_MIXED] = {{.backproject_gups = 2.5, .filter_gpixels = 0.07},
                                                              {.backproject_gups = 5.0, .filter_gpixels = 0.07}}};

/* A PCIe link of today. */
static const double usual_device_gbps = 25;

static SinoStatus kernel_rates(const SinoSettings *settings, bool symmetric, SinoBenchConeRates *rates)
{
    *rates = usual[settings->projection.precision == SINO_MIXED ? SINO_MIXED : SINO_SINGLE][symmetric];
    if (!settings->plan.machine || strcmp(settings->plan.machine, "usual") == 0) return NULL;
    SINO_CHECK(strchr(settings->plan.machine, '.') || strchr(settings->plan.machine, '/'), SINO_BAD_INPUT,
               "--machine is '%s'; allowed with --geometry cone: usual, abci, or a file of `sinodag bench --geometry "
               "cone --csv`",
               settings->plan.machine);
    return sino_bench_csv_read_cone(settings->plan.machine, sino_precision_name(settings->projection.precision),
                                    symmetric, rates);
}

static SinoStatus described(const SinoSettings *settings, bool symmetric, SinoConeMachine *result)
{
    SinoSettings preset = *settings;
    SinoMachine machine;
    SinoBenchConeRates rates;
    preset.plan.machine = NULL;
    SINO_CHECK(!(settings->plan.device_gbps > 0) || settings->plan.device_memory_bytes > 0, SINO_BAD_INPUT,
               "--device-bandwidth is %g without --device-memory; allowed: both, or with --machine abci",
               settings->plan.device_gbps);
    SINO_TRY(sino_machine_new(&preset, 0, &machine));
    SINO_TRY(kernel_rates(settings, symmetric, &rates));
    if (rates.memory_gbps > 0 && !(settings->plan.memory_gbps > 0)) machine.rates.memory_gbps = rates.memory_gbps;
    machine.devices =
        (SinoDeviceRoom){.count = settings->plan.device_memory_bytes > 0, .bytes = settings->plan.device_memory_bytes};
    const double workers = (double)machine.worker_count;
    const SinoConeKernelRates kernels = {.backproject_gups = rates.backproject_gups * workers,
                                         .filter_gpixels = rates.filter_gpixels * workers,
                                         .device_gbps = machine.devices.count > 0 ? usual_device_gbps : 0};
    *result = sino_cone_machine_of(&machine, sino_larger(settings->plan.ranks_per_node, 1), &kernels);
    return NULL;
}

static void set(double given, double *rate)
{
    if (given > 0) *rate = given;
}

/* Settings are of a rank; rates of the machine are of nodes, too. */
static void override(const SinoPlanSettings *settings, SinoConeMachine *machine)
{
    const double ranks = (double)machine->ranks_per_node;
    set(settings->backproject_gups, &machine->backproject_gups);
    set(settings->filter_gpixels * ranks, &machine->filter_gpixels);
    set(settings->device_gbps * ranks, &machine->to_device_gbps);
    set(settings->device_gbps * ranks, &machine->from_device_gbps);
    set(settings->link_gbps * ranks, &machine->link_gbps);
    set(settings->link_gbps, &machine->reduce_gbps);
    set(settings->file_gbps, &machine->load_gbps);
    set(settings->file_gbps, &machine->store_gbps);
    if (settings->device_memory_bytes > 0) machine->memory_bytes = settings->device_memory_bytes;
}

SinoStatus sino_cone_machine_new(const SinoSettings *settings, bool symmetric, SinoConeMachine *result)
{
    SinoConeMachine machine = sino_cone_abci;
    if (settings->plan.machine && strcmp(settings->plan.machine, "abci") == 0) {
        SINO_CHECK(!(settings->plan.memory_gbps > 0), SINO_BAD_INPUT,
                   "--memory-bandwidth is %g with --machine abci, whose workers are not known; allowed: with another "
                   "--machine",
                   settings->plan.memory_gbps);
        SINO_CHECK(settings->plan.ranks_per_node == 0 || settings->plan.ranks_per_node == machine.ranks_per_node,
                   SINO_BAD_INPUT,
                   "--ranks-per-node is %" PRId64 " with --machine abci; allowed: %" PRId64 ", or another --machine",
                   settings->plan.ranks_per_node, machine.ranks_per_node);
    } else {
        SINO_TRY(described(settings, symmetric, &machine));
    }
    override(&settings->plan, &machine);
    *result = machine;
    return NULL;
}
