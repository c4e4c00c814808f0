/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load: reads a slab of counts, with its mean or median flat and dark field, from the scan. */
#ifndef SINO_LOAD_TASK_H
#define SINO_LOAD_TASK_H

#include "runtime.h"
#include "scan.h"
#include "settings.h"

/* Consecutive angles of a scan. */
typedef struct SinoAngleRun {
    int64_t first, count;
} SinoAngleRun;

/* The part of a scan that a task load reads: a slab's counts[angle][row][column] at the angles of all runs, and its
 * mean or median flat and dark field[row][column]. The data `io` orders all tasks that call HDF5. */
typedef struct SinoLoad {
    SinoScan *scan;
    SinoScanBox box;
    int64_t run_count;
    const SinoAngleRun *run; /* not owned */
    SinoFlatCorrection flat_correction;
} SinoLoad;
SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark);

#endif
