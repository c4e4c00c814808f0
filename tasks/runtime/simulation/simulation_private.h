/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, private: what is simulated is the state of the process, or of a rank's copy of the program. Private to
 * simulation_*.c. */
#pragma once

#include "ending.h"
#include "simulation.h"

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
