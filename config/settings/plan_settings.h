/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan settings: a machine that need not exist. A rate of 0: as --machine has it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoPlanSettings {
    bool slurm;                              /* plan: print a batch script */
    int64_t ranks;                           /* 0: the nodes of the machine */
    char *machine;                           /* a preset, or a file of bench --csv; NULL: preset "usual" */
    double kernel_gflops;                    /* of a worker that multiplies a panel of slices; 0: rate of the machine */
    double memory_gbps, socket_gbps;         /* of a worker: to its memory, to others of its socket; 0: as above */
    double node_gbps, link_gbps, file_gbps;  /* of a socket to others, of a node to others, of all files; 0: as above */
    double link_latency_us;                  /* of a message between nodes; 0: as above */
    double backproject_gups, filter_gpixels; /* of a rank, of cone beams, in 10⁹ a second; 0: as above */
    double device_gbps;                      /* of a rank's copies to its device, and from it; 0: as above */
    int64_t device_memory_bytes;             /* of a rank's device; 0: as above */
    int64_t ranks_per_node;                  /* 0: as above */
    double arrival_per_s;                    /* simulate: projections of a scan that is followed; 0: all are there */
} SinoPlanSettings;
