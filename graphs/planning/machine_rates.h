/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: a rank's node as a plan sees it: workers, memory, devices, and the rates assumed by forecasts. */
#pragma once

#include "device_room.h"
#include "machine_file.h"
#include "settings.h"

/* Rates of a rank's node, in 10⁹ operations or bytes per second. */
typedef struct SinoRates {
    bool of_devices;        /* the first two are those of a device: products run on devices, not on cores */
    double kernel_gflops;   /* of one worker, with a panel of slices */
    double memory_gbps;     /* of one worker: memory bandwidth */
    double socket_gbps;     /* of one worker: to other workers of its socket */
    double node_gbps;       /* of one socket: to other sockets of its node */
    double link_gbps;       /* of one rank: to other ranks, in each direction */
    double link_latency_us; /* of a message between ranks */
    double file_gbps;       /* all files together */
} SinoRates;

typedef struct SinoMachine {
    int64_t worker_count; /* CPU workers of a rank; 0: as many as the topology gives a rank partitions */
    int64_t socket_count;
    int64_t memory_bytes; /* memory that a rank may use */
    bool memory_given;    /* memory_bytes is from --memory or a machine file; false: it is this machine's free memory */
    SinoDeviceRoom devices;
    SinoRates rates;
    SinoMachineFile file; /* of --machine: links and processors, of which `rates` are those that products run on */
    const struct SinoTaskCosts *costs; /* measured here, for forecasts; not owned; NULL: rates alone */
} SinoMachine;

/* The machine of --machine: a preset, a file (machine_file.h), or, from a table of `sinodag bench --csv`, this machine;
 * `usual` if none is given. SINO_BAD_INPUT: none of them, or values out of range. */
SinoStatus sino_machine_named(const SinoSettings *settings, SinoMachineFile *machine);

/* Describes a node of that machine with the memory, workers and rates that the settings give. Of `here`, `usual`,
 * `summit` and tables of bench only the rates count: the rest is this machine's, whose devices are not included,
 * because no runtime is needed. Plans of system matrices get the cores of other machines alone. `worker_count` 0: the
 * settings' number of workers, or every core and device. Errors as above. */
SinoStatus sino_machine_new(const SinoSettings *settings, int64_t worker_count, SinoMachine *machine);

/* The same of this machine, with the workers and devices of a runtime. */
SinoStatus sino_machine_here(const SinoSettings *settings, const SinoRuntime *runtime, SinoMachine *machine);

/* Collective. Sets the least memory, the most workers, and the fewest and smallest devices of all ranks, so that every
 * rank plans with the same numbers. */
SinoStatus sino_machine_agree(SinoProcesses *processes, SinoMachine *machine);
