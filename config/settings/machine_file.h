/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine file: a machine, which need not be this one, as a simulation or a plan sees it: from a preset or a YAML file
 * (docs/MACHINES.md). */
#pragma once

#include "device.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Rates of one core or one device. */
typedef struct SinoProcessorRates {
    double gflops;      /* 10⁹ flops per second of products in single precision, with a wide panel; true nonzeros */
    double memory_gbps; /* 10⁹ bytes per second: reading memory while all the others do the same */
    double task_us;     /* of a task without work, from being ready to run to its end */
} SinoProcessorRates;

/* A link in one direction. */
typedef struct SinoMachineLink {
    double gbps;       /* 10⁹ bytes per second */
    double latency_us; /* of a transfer without bytes */
} SinoMachineLink;

typedef struct SinoMachineFile {
    char name[64];
    int64_t nodes;           /* that are alike; a rank each */
    int64_t sockets;         /* of a node */
    int64_t cores;           /* CPU workers of a node; cores that drive devices left out */
    int64_t memory_bytes;    /* main memory of a node */
    SinoProcessorRates core; /* with all cores at work */
    unsigned device_kind;    /* SINO_DEVICE_CUDA, SINO_DEVICE_OPENCL; 0: the nodes have no devices */
    int64_t device_count;    /* of a node; 0: none */
    int64_t device_bytes;    /* memory of a device */
    SinoProcessorRates device;
    SinoMachineLink host_device;   /* between main memory and a device */
    SinoMachineLink device_device; /* between two devices of a node */
    SinoMachineLink network;       /* of a node: to the other nodes */
    double host_gbps;   /* all transfers between main memory and the devices of a node together, in one direction */
    double socket_gbps; /* of a worker: to other workers of its socket */
    double node_gbps;   /* of a socket: to other sockets of its node */
    double file_gbps;   /* all files together */
} SinoMachineFile;

/* Describes the machine that `name` names: a preset, or a file, whose name has a '.' or a '/'. SINO_BAD_INPUT, naming
 * `where` ("--machine"): neither a preset nor a file, no YAML, an unknown key, a missing key, or a value out of range.
 */
SinoStatus sino_machine_file_open(const char *where, const char *name, SinoMachineFile *machine);

/* The names of all presets, separated by ", ". */
const char *sino_machine_presets(void);

/* The preset with this name (machine_presets.c); `here` and `usual` are looked up on this machine. False: there is
 * none; `machine` stays. */
bool sino_machine_preset(const char *name, SinoMachineFile *machine);
