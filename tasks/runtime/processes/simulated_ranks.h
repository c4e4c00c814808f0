/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated ranks: a simulation of several ranks is one process of the system. The program `sinodag-ranks`
 * (simulated_ranks.c) starts SimGrid's MPI, SMPI, which loads the shared object with sinodag and StarPU once for each
 * rank, so that each has variables of its own. What they have in common lies in sinodag-ranks. Private to
 * tasks/runtime. */
#pragma once

#include <stdint.h>

/* Names of hosts in the description of the cluster: a node with its links, followed by its number. */
#define SINO_SIMULATED_NODE "node"

/* A list that `ranks` ranks read. */
typedef struct SinoSharedList {
    struct SinoSharedList *next;
    void *memory;
    int64_t bytes, ranks;
} SinoSharedList;

typedef struct SinoSimulatedRanks {
    int64_t count, per_node;
    int argument_count; /* the command line of sinodag */
    char **arguments;
    const char *object;    /* of which each rank is a copy */
    const char *folder;    /* with the description of the machine, until the ranks have read it */
    const char *directory; /* with the times that runs have measured; "": not asked for */
    const char *host;      /* STARPU_HOSTNAME of the user; "": not given */
    int64_t ended;         /* ranks whose program has returned */
    int exit_code;         /* the largest of them */
    double files_free_us;  /* in virtual time: when the ranks have used files that they asked for */
    SinoSharedList *lists;
} SinoSimulatedRanks;

extern SinoSimulatedRanks sino_simulated_ranks;
