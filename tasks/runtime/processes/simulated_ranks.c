/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated ranks: the program sinodag-ranks, which the simulator becomes for several ranks. Its arguments: the shared
 * object of a rank; the folder with cluster.xml and hosts; numbers of ranks, and of ranks per node; the directory of
 * measured times, or ""; the user's STARPU_HOSTNAME, or ""; then the command line of sinodag, with its name. */
#include "simulated_ranks.h"

#include <stdio.h>
#include <stdlib.h>

enum { OBJECT = 1, FOLDER, COUNT, PER_NODE, DIRECTORY, HOST, COMMAND };

SinoSimulatedRanks sino_simulated_ranks;

/* SMPI's, which is C++ with the linkage of C. */
int smpi_main(const char *program, int argument_count, char **arguments);

int main(int argument_count, char **arguments)
{
    char platform[128], hosts[128], count[64];
    if (argument_count <= COMMAND) {
        fputs("sinodag-ranks: sinodag simulate --ranks N starts this program\n", stderr);
        return 2;
    }
    sino_simulated_ranks = (SinoSimulatedRanks){.count = strtoll(arguments[COUNT], NULL, 10),
                                                .per_node = strtoll(arguments[PER_NODE], NULL, 10),
                                                .argument_count = argument_count - COMMAND,
                                                .arguments = arguments + COMMAND,
                                                .object = arguments[OBJECT],
                                                .folder = arguments[FOLDER],
                                                .directory = arguments[DIRECTORY],
                                                .host = arguments[HOST]};
    snprintf(platform, sizeof platform, "%s/cluster.xml", arguments[FOLDER]);
    snprintf(hosts, sizeof hosts, "--cfg=smpi/hostfile:%s/hosts", arguments[FOLDER]);
    snprintf(count, sizeof count, "--cfg=smpi/np:%s", arguments[COUNT]);
    setenv("SMPI_GLOBAL_SIZE", arguments[COUNT], 1); /* by which StarPU knows */
    char name[] = "sinodag-ranks", copies[] = "--cfg=smpi/privatization:dlopen";
    char idle[] = "--cfg=smpi/simulate-computation:no", speed[] = "--cfg=smpi/host-speed:1f";
    /* A send ends when its message has arrived, however small it is: then messages have the time that they take. */
    char detached[] = "--cfg=smpi/send-is-detached-thresh:0", small[] = "--cfg=smpi/async-small-thresh:0";
    /* Each message has an actor; without guards their stacks are neighbours, of which the system allows more. */
    char stack[] = "--cfg=contexts/stack-size:2048", guards[] = "--cfg=contexts/guard-size:0";
    char quiet[] = "--log=root.thresh:critical";
    char *options[] = {name, copies, count, hosts, idle, speed, detached, small, stack, guards, quiet, platform, NULL};
    (void)smpi_main(arguments[OBJECT], (int)(sizeof options / sizeof *options) - 1, options);
    /* Ranks end the program (sino_processes_end). SimGrid returns where none of them can go on. */
    fputs("sinodag: the simulation came to a standstill: no rank can go on; another --scheduler may\n", stderr);
    return 1;
}
