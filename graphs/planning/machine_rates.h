/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: a rank's node as a plan sees it: workers, memory, devices, and the rates assumed by forecasts. */
#ifndef SINO_MACHINE_RATES_H
#define SINO_MACHINE_RATES_H

#include "device_room.h"
#include "settings.h"

/* Rates of a rank's node, in 10⁹ operations or bytes per second. */
typedef struct SinoRates {
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
    bool memory_given;    /* memory_bytes is from --memory; false: it is the machine's free memory */
    SinoDeviceRoom devices;
    SinoRates rates;
} SinoMachine;

/* Describes this machine with the memory that the settings give. Rates are from a preset, a file of `bench` or the
 * settings. No runtime is needed, so devices are not included. `worker_count` 0: the settings' number of workers, or
 * every core. SINO_BAD_INPUT: the name is neither a preset nor a file of `bench`. */
SinoStatus sino_machine_new(const SinoSettings *settings, int64_t worker_count, SinoMachine *machine);

/* Collective. Sets the least memory, the most workers, and the fewest and smallest devices of all ranks, so that every
 * rank plans with the same numbers. */
SinoStatus sino_machine_agree(SinoProcesses *processes, SinoMachine *machine);

#endif
