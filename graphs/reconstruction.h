/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume. */
#ifndef SINO_RECONSTRUCTION_H
#define SINO_RECONSTRUCTION_H

#include "memory_plan.h"

/* What a run leaves for the output's /process and the pictures. */
typedef struct SinoRecord {
    int64_t slice_count, columns; /* columns of the history: iterations + 1 */
    double *residuals;            /* [slices][columns]; owned */
    int64_t *repaired;            /* [slices]; owned */
    int64_t picture_slice;
    float *sinogram, *tomogram; /* of the picture's slice: [K][M], [N][N]; owned; NULL without pictures */
} SinoRecord;

SinoStatus sino_record_new(const SinoInput *input, int64_t history_columns, bool pictures, SinoRecord *record);
void sino_record_free(SinoRecord *record);

/* Submits and runs every task; returns when the last slice is stored. `scale` takes values per voxel to the output's
 * units. */
SinoStatus sino_reconstruct(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                            const SinoOperator *op, const SinoSolver *solver, const SinoMemoryPlan *plan, double scale,
                            SinoVolume *volume, SinoRecord *record);

#endif
