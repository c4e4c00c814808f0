/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of a setup: the policies of a sweep that ran in the same setup, compared. Private to the files sweep*.c. */
#pragma once

#include "sweep.h"
#include "sweep_statistics.h"

/* What is compared. Regrets and shares are in percent. */
typedef enum SinoSweepFigure {
    SINO_SWEEP_MAKESPAN, /* seconds */
    SINO_SWEEP_SHARE,    /* of the workers' time inside tasks */
    SINO_SWEEP_REGRET,   /* makespan beyond that of the best policy in the same repetition */
    SINO_SWEEP_EXCESS,   /* makespan beyond the larger one of the run's own area and critical path bounds */
    SINO_SWEEP_FIGURES
} SinoSweepFigure;

typedef struct SinoSweepPolicy {
    const char *name;                        /* not owned */
    const double *value[SINO_SWEEP_FIGURES]; /* [repetition], not owned */
    SinoQuartiles of[SINO_SWEEP_FIGURES];
    double wins, predicted_s; /* repetitions in which it was fastest; NaN: not simulated */
} SinoSweepPolicy;

typedef struct SinoSweepTable {
    SinoSweepCase setup;
    int64_t policy_count, repetitions;
    SinoSweepPolicy *policy; /* the fastest median first; those without a run last */
    double *memory;          /* of all values */
    double correlation;      /* of the ranks of predicted and measured times; NaN: not known */
    /* Medians over all runs; NaN: none. */
    double tasks, build_s, peak_bytes, transfer_bytes;
} SinoSweepTable;

/* The table of the setup that begins at sweep->of[first_case]. The caller releases it. */
SinoStatus sino_sweep_table(const SinoSweep *sweep, int64_t first_case, SinoSweepTable *table);
void sino_sweep_table_free(SinoSweepTable *table);
