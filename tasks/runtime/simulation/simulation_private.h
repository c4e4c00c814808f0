/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, private to tasks/runtime. */
#pragma once

#include "ending.h"
#include "machine_file.h"
#include "simulation.h"
#include "status.h"

/* Shared code: what the copies of a program need once. Private to tasks/runtime. Maps the code and the constants of the
 * object with this function from `path`, of which it was loaded as a copy, so that all copies use the same memory. The
 * bytes are those that are there; variables, and constants with addresses, stay the copy's. */
SinoStatus sino_shared_code_map(const char *path);

/* Simulated machine: what StarPU reads about a machine before it simulates it. Private to tasks/runtime. */

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

/* Simulation, private: what is simulated is the state of the process, or of a rank's copy of the program. Private to
 * simulation_*.c. */

/* STARPU_HOSTNAME of simulations, by which StarPU finds the machine's description. */
#define SINO_SIMULATED_HOST "simulated"

typedef struct SinoSimulated {
    SinoMachineFile machine; /* a rank's share */
    char folder[64];         /* with the machine's description; "": it has been read, and removed */
    SinoLastAct last;        /* removes the folder */
    SinoTaskCosts *costs;    /* owned */
    double *files_free_us;   /* of all ranks (simulated_ranks.h); not owned; NULL: there is one rank */
    SinoProgram *program;
    int argument_count, exit_code;
    char **arguments;
} SinoSimulated;

/* Begins: `of`, which is not owned, is what is simulated; with its folder, which is removed at an early end. */
void sino_simulated_begin(SinoSimulated *of);

/* StarPU has read the folder. */
void sino_simulated_forget_files(void);

/* Ends: frees what is owned. */
void sino_simulated_end(void);

/* How StarPU's main calls the program, within the simulation. */
int starpu_main(int argument_count, char **arguments);
