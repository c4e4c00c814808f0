/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate, inside: what a simulation was of, and its report. */
#pragma once

#include "machine_file.h"
#include "recon_volume.h"
#include "settings.h"
#include "simulation.h"

enum { SINO_SIMULATE_PATH = 4224, SINO_SIMULATE_ASSUMED = 8 };

/* A rank of a simulation that has ended. */
typedef struct SinoSimulatedRank {
    double building_s, run_s; /* virtual: until the operator is built; until the last task has ended */
    SinoSimulationCounts counts;
} SinoSimulatedRank;

/* A simulation that has ended; nothing is owned. */
typedef struct SinoSimulateReport {
    const SinoMachineFile *machine; /* of a rank: its share of a node */
    SinoReconFacts facts;
    SinoReconSizes sizes;
    const char *algorithm, *precision, *scheduler, *communication;
    int assumed_count;
    const char *assumed[SINO_SIMULATE_ASSUMED]; /* of what values of a scan decide */
    double arrival_per_s;                       /* of projections; 0: all are there */
    double wall_s;                              /* of the simulation itself */
    SinoSimulatedRank all; /* sums over ranks; of times since the common begin, and of memory, the largest */
    int64_t rank_count, ranks_per_node;
    const SinoSimulatedRank *rank; /* [rank_count] */
} SinoSimulateReport;

void sino_simulate_print(const SinoSimulateReport *report, FILE *out);
void sino_simulate_json(const SinoSimulateReport *report, FILE *out); /* docs/JSON.md */

/* The machine of --machine; `here` if it is not given. Errors: those of sino_machine_named. */
SinoStatus sino_simulate_machine(const SinoSettings *settings, SinoMachineFile *machine);

/* What the settings ask to be simulated, on this machine; `launcher`, a buffer, and `machine` are not owned. */
SinoStatus sino_simulate_request(const SinoSettings *settings, const SinoMachineFile *machine,
                                 char launcher[SINO_SIMULATE_PATH], SinoSimulationRequest *request);

/* SINO_BAD_INPUT: there is no program that simulates; the text names where it was looked for. */
SinoStatus sino_simulate_missing(void);
