/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate, inside: what a simulation was of, and its report. */
#ifndef SINO_SIMULATE_H
#define SINO_SIMULATE_H

#include "machine_file.h"
#include "simulation.h"
#include "team.h"

/* A simulation that has ended; nothing is owned. */
typedef struct SinoSimulateReport {
    const SinoMachineFile *machine;
    const SinoRunPlan *plan;
    const SinoInput *input;
    const char *algorithm, *scheduler;
    double building_s, run_s; /* virtual: until the operator is built; until the last task has ended */
    double wall_s;            /* of the simulation itself */
    const SinoSimulationCounts *counts;
} SinoSimulateReport;

void sino_simulate_print(const SinoSimulateReport *report, FILE *out);
void sino_simulate_json(const SinoSimulateReport *report, FILE *out); /* docs/JSON.md */

/* The machine of --machine; `here` if it is not given. Errors: those of sino_machine_named. */
SinoStatus sino_simulate_machine(const SinoSettings *settings, SinoMachineFile *machine);

/* SINO_BAD_INPUT: there is no program that simulates; the text names where it was looked for. */
SinoStatus sino_simulate_missing(void);

#endif
