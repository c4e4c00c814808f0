/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, Slurm: a batch script of the run that was planned, of any kind of job. */
#pragma once

#include "machine_rates.h"

#include <stdio.h>

typedef struct SinoSlurmJob {
    const SinoMachine *machine; /* a node; not owned */
    int64_t worker_count;       /* of a rank: cores that compute, and a core for each device */
    int64_t total_bytes;        /* planned memory of a rank */
    double run_s;               /* planned */
} SinoSlurmJob;

/* Prints a script that reconstructs the scan, or the counts, on settings->plan.ranks ranks with the settings of the
 * plan. SINO_FAILED: no memory. */
SinoStatus sino_plan_slurm(const SinoSettings *settings, const SinoSlurmJob *job, FILE *out);
