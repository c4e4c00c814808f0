/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated machine: what StarPU reads about a machine before it simulates it. Private to tasks/runtime. */
#pragma once

#include "machine_file.h"
#include "status.h"

/* Ranks on nodes that are alike, the first `per_node` of them on the first node. */
typedef struct SinoSimulatedCluster {
    int64_t ranks, per_node;
} SinoSimulatedCluster;

/* Writes StarPU's description of the machine to a new temporary directory, `folder`, which the caller removes with
 * sino_simulated_machine_remove: in bus/, HOST.platform.v4.xml for SimGrid, HOST.bandwidth and HOST.latency for
 * policies, where HOST is `host`. The machine gets `cores` cores and `devices` devices. With a cluster (else NULL) each
 * rank gets them, and cluster.xml is in place of the platform, beside `hosts` with the node of each rank. */
SinoStatus sino_simulated_machine_write(const SinoMachineFile *machine, const SinoSimulatedCluster *cluster,
                                        int64_t cores, int64_t devices, const char *host, char folder[64]);
void sino_simulated_machine_remove(const char *folder);
