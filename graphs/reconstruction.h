/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume. */
#ifndef SINO_RECONSTRUCTION_H
#define SINO_RECONSTRUCTION_H

#include "memory_plan.h"

/* What a run leaves for the output's /process and the pictures. */
typedef struct SinoRecord {
    int64_t slice_count, columns;                  /* columns of the history: iterations + 1 */
    double *residuals;                             /* [slices][columns]; owned */
    int64_t *repaired;                             /* [slices]; owned */
    int64_t picture_slice, pixel_count, ray_count; /* of the picture's slice: N², K·M */
    float *sinogram, *tomogram; /* of the picture's slice: [K][M], [N][N]; owned; NULL without pictures */
} SinoRecord;

SinoStatus sino_record_new(const SinoInput *input, int64_t history_columns, bool pictures, SinoRecord *record);

/* Collective: what each process knows, together in process 0. */
SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record);
void sino_record_free(SinoRecord *record);

/* What a run is made of; nothing is owned. */
typedef struct SinoReconstruction {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* the slices of this process's batch group, the angles of this process */
    const SinoOperator *op;
    const SinoExchange *exchange;
    const SinoSolver *solver;
    const SinoMemoryPlan *plan;
    double scale;       /* takes values per voxel to the output's units */
    SinoVolume *volume; /* NULL: only the picture is wanted */
    SinoRecord *record; /* of all slices of the volume */
} SinoReconstruction;

/* Submits and runs every task; returns when the last slice of this process is stored. With several processes all call
 * it. After a failure elsewhere it returns that process's kind of error, without a text. */
SinoStatus sino_reconstruct(const SinoReconstruction *reconstruction);

#endif
