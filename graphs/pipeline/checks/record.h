/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: the histories, counts of undefined values and pictures of a run, for the output's /process and the PNG files.
 */
#pragma once

#include "buffers.h"
#include "files_tasks.h"
#include "geometry.h"
#include "processes.h"

/* The sizes of a record. */
typedef struct SinoRecordShape {
    int64_t slice_count, height, width;           /* of the volume */
    int64_t set_count;                            /* as of SinoVolumeRequest */
    int64_t columns, numbers;                     /* of a slice's history (SinoHistory): iterations + 1, and all */
    int64_t angle_count, row_count, column_count; /* of the scan; rows after binning */
    const char *row_name;                         /* for messages: what a row is; constant */
    bool pictures;
    bool planes;  /* pictures of the planes across the slices, too */
    bool maximum; /* a picture of the largest values along z, too */
} SinoRecordShape;

/* The shape of a reconstruction slice by slice. */
SinoRecordShape sino_record_shape(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns,
                                  int64_t history_numbers, bool pictures);

typedef struct SinoRecord {
    int64_t slice_count, columns, numbers; /* as of the shape */
    double *history;                       /* [slices][numbers]: residuals, and log-likelihoods if there are any; owned
                                            */
    int64_t angle_count, row_count, column_count;
    const char *row_name;          /* for messages: what a row is; constant */
    int64_t *repaired;             /* [row]: undefined values of each row of the scan; owned */
    int64_t *by_angle, *by_column; /* [angle of the scan], [column]: undefined values of all rows; owned */
    SinoSections sections;         /* for pictures; arrays are owned, NULL without pictures */
    float *sinogram;               /* [angle][column] of the middle row; owned; NULL without pictures */
} SinoRecord;

/* Allocates a record, filled with 0. The pictures are those of the first set, and of its middle slice. SINO_FAILED: no
 * memory. */
SinoStatus sino_record_new(const SinoRecordShape *shape, SinoRecord *record);
void sino_record_free(SinoRecord *record);

/* Bytes of a record's arrays, saturating at 2⁵⁹. */
int64_t sino_record_bytes(const SinoRecordShape *shape);

/* Collective: rank 0's record gets the entries of every rank; those of other ranks are undefined afterwards. */
SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record);
