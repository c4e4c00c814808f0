/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load: reads a slab of counts, with its mean or median flat and dark field, from the scan. */
#pragma once

#include "input_settings.h"
#include "log.h"
#include "runtime.h"
#include "scan.h"
#include "status.h"

/* Consecutive angles of a scan. */
typedef struct SinoAngleRun {
    int64_t first, count;
} SinoAngleRun;

/* The part of a scan that a task load reads: counts[angle][row][column] of a box at the angles of all runs, and the
 * box's mean or median flat fields[set][row][column] and dark field[row][column]. The data `io` orders all tasks that
 * call HDF5. */
typedef struct SinoLoad {
    SinoScan *scan;
    SinoScanBox box;
    int64_t run_count;
    const SinoAngleRun *run; /* not owned */
    SinoFlatCorrection flat_correction;
    int64_t flat_sets;           /* sets of flat fields; 0: all flat fields are one */
    const int64_t *flat_set_end; /* [set]: number of the flat field after its last one; not owned */
    bool aside;                  /* sino_runtime_wait does not wait for the task */
    bool fields;                 /* false: only counts are read; flat and dark are NULL */
} SinoLoad;

/* Bytes in which a task load averages `image_count` fields of `rows` rows: it does so in pieces of whole rows. */
int64_t sino_load_field_bytes(int64_t image_count, int64_t rows, int64_t row_bytes);

/* Inserts load. */
SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark);
