/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep settings: lists of what the runs differ in. */
#pragma once

#include "device.h"
#include "setting_types.h"

#include <stdint.h>

typedef enum SinoSimulation { SINO_SIMULATION_NO, SINO_SIMULATION_YES, SINO_SIMULATION_ONLY } SinoSimulation;

typedef struct SinoSweepSettings {
    char *schedulers; /* names separated by commas; NULL: sinodag chooses */
    SinoCountList column_counts, angle_counts, slice_counts, minibatches, partition_counts, worker_counts;
    SinoCountList device_sets; /* bits of device.h */
    unsigned precisions;       /* bits 1 << SinoPrecision, at least one is set */
    int64_t repetitions;
    SinoSimulation simulation;
    char *report, *plots, *keep; /* a page, directories of plots and of profiles; NULL: none */
    char *archive;               /* a tar file; NULL: none */
} SinoSweepSettings;
