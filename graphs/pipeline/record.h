/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: the residuals, counts of undefined values and pictures of a run, for the output's /process and the PNG files.
 */
#ifndef SINO_RECORD_H
#define SINO_RECORD_H

#include "buffers.h"
#include "geometry.h"
#include "processes.h"

typedef struct SinoRecord {
    int64_t slice_count, columns; /* columns of the history: iterations + 1 */
    double *residuals;            /* [slices][columns]; owned */
    int64_t *repaired;            /* [slices]: undefined values of each slice; owned */
    int64_t angle_count, column_count;
    int64_t *by_angle, *by_column; /* [angle of the scan], [column]: undefined values of all slices; owned */
    int64_t picture_slice, pixel_count, ray_count; /* of the picture's slice; N² pixels, K·M rays */
    float *sinogram, *tomogram; /* of the picture's slice: [K][M], [N][N]; owned; NULL without pictures */
} SinoRecord;

/* Allocates a record of slice_count slices, filled with 0. The picture is that of the middle slice. SINO_FAILED: no
 * memory. */
SinoStatus sino_record_new(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns, bool pictures,
                           SinoRecord *record);
void sino_record_free(SinoRecord *record);

/* Bytes of a record's arrays, saturating at 2⁵⁹. */
int64_t sino_record_bytes(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns, bool pictures);

/* Collective: rank 0's record gets the entries of every rank; those of other ranks are undefined afterwards. */
SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record);

#endif
