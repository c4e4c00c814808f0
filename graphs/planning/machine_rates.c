/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: a rank's node, from this machine, the settings, a table of presets, and files of `sinodag bench --csv`. */
#include "machine_rates.h"

#include "bench_csv.h"
#include "platform.h"

#include <string.h>

typedef struct Preset {
    const char *name;
    SinoRates rates;
} Preset;

/* The presets of rates. usual: one core of today's servers, measured in docs/PERFORMANCE.md. summit: workers are V100
 * GPUs (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. IV: 75 TFLOP/s in mixed precision on 24 of them; memory
 * 900 GB/s; NVLink 50 GB/s each way, X bus 64 GB/s both ways together). Network and files are not given there and are
 * assumed. */
static const Preset presets[] = {
    {"usual",
     {.kernel_gflops = 50,
      .memory_gbps = 20,
      .socket_gbps = 20,
      .node_gbps = 20,
      .link_gbps = 12.5,
      .link_latency_us = 10,
      .file_gbps = 1}},
    {"summit",
     {.kernel_gflops = 3125,
      .memory_gbps = 900,
      .socket_gbps = 50,
      .node_gbps = 32,
      .link_gbps = 25,
      .link_latency_us = 10,
      .file_gbps = 100}},
};

/* Files of `bench` give the rates of kernels and memory; the other rates are those of the preset `usual`. */
static SinoStatus named_rates(const SinoSettings *settings, SinoRates *rates)
{
    SinoBenchRates bench;
    *rates = presets[0].rates;
    if (!settings->machine) return NULL;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(settings->machine, presets[i].name) != 0) continue;
        *rates = presets[i].rates;
        return NULL;
    }
    SINO_CHECK(strchr(settings->machine, '.') || strchr(settings->machine, '/'), SINO_BAD_INPUT,
               "--machine is '%s'; allowed: usual, summit, or a file of `sinodag bench --csv`", settings->machine);
    SINO_TRY(sino_bench_csv_read(settings->machine, sino_precision_name(settings->precision), &bench));
    rates->kernel_gflops = bench.kernel_gflops;
    rates->memory_gbps = bench.memory_gbps;
    return NULL;
}

static double given_or(double given, double otherwise)
{
    return given > 0 ? given : otherwise;
}

SinoStatus sino_machine_new(const SinoSettings *settings, int64_t worker_count, SinoMachine *machine)
{
    SinoRates rates;
    SINO_TRY(named_rates(settings, &rates));
    const int64_t cores = settings->workers ? settings->workers : sino_platform_core_count();
    *machine = (SinoMachine){.worker_count = worker_count ? worker_count : cores,
                             .socket_count = sino_platform_socket_count(),
                             .memory_bytes = settings->memory_bytes ? settings->memory_bytes
                                                                    : sino_platform_available_bytes() / 10 * 8,
                             .memory_given = settings->memory_bytes > 0,
                             .rates = {.kernel_gflops = given_or(settings->kernel_gflops, rates.kernel_gflops),
                                       .memory_gbps = given_or(settings->memory_gbps, rates.memory_gbps),
                                       .socket_gbps = given_or(settings->socket_gbps, rates.socket_gbps),
                                       .node_gbps = given_or(settings->node_gbps, rates.node_gbps),
                                       .link_gbps = given_or(settings->link_gbps, rates.link_gbps),
                                       .link_latency_us = given_or(settings->link_latency_us, rates.link_latency_us),
                                       .file_gbps = given_or(settings->file_gbps, rates.file_gbps)}};
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
