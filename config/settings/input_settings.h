/* SPDX-License-Identifier: BSD-3-Clause */
/* Input settings: the files of a scan, and the part of it that is used. Rows and columns are those of the detector in
 * the file, before crop and binning. */
#pragma once

#include "scan_limits.h"
#include "setting_types.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoFlatCorrection { SINO_FLAT_MEAN, SINO_FLAT_MEDIAN, SINO_FLAT_NONE } SinoFlatCorrection;

/* Meaning of the values of a scan. AUTO: line integrals in raw sinograms, counts in every other format. Of a system
 * matrix only AUTO, where the file says what it holds, and EVENTS, which are numbers of rows (io/counts/counts_file.h).
 */
typedef enum SinoScanValues {
    SINO_VALUES_AUTO,
    SINO_VALUES_COUNTS,
    SINO_VALUES_TRANSMISSION,
    SINO_VALUES_LINE_INTEGRALS,
    SINO_VALUES_EVENTS
} SinoScanValues;

typedef enum SinoFlatInterpolation { SINO_FLATS_LINEAR, SINO_FLATS_AS_ONE } SinoFlatInterpolation;

typedef struct SinoNameList {
    int64_t count;
    char **name; /* [count]; owned by the settings, as each name is */
} SinoNameList;

typedef struct SinoInputSettings {
    char *file_name;                    /* positional, or --file-name; of several the first */
    SinoNameList more_files;            /* join: the others */
    char *theta;                        /* --theta: angles from a file or a range (io/scans/angle_list.h) */
    SinoAngleUnit theta_unit;           /* of the angles, whatever files say */
    char *dataset, *theta_dataset;      /* --dataset, --theta-dataset: of an HDF5 file; NULL: as its format has them */
    SinoScanAxes axes;                  /* --axes: order of the dimensions of the data */
    char *flats, *darks;                /* --flats, --darks: images by file, folder or pattern, or FILE:/DATASET */
    char *exclude;                      /* --exclude: numbers of projections to leave out (io/scans/scan.h) */
    double start_angle, end_angle;      /* in degrees, both included; NaN: no limit */
    int64_t angle_binning;              /* average this many consecutive projections; ≥ 1 */
    int half;                           /* 1, 2: those of even or odd number that are left; 0: all; no option */
    double open_beam;                   /* count of every pixel without object; 0: flat fields tell it */
    int64_t columns;                    /* --columns of a raw sinogram; 0: not given. bench: of the detector */
    int64_t start_row, end_row;         /* [start, end); end −1: all */
    int64_t start_column, end_column;   /* crop */
    int64_t binning;                    /* average binning × binning detector pixels; ≥ 1 */
    SinoScanValues scan_values;         /* --data; unless AUTO it determines the next two members */
    SinoFlatCorrection flat_correction; /* --flat-correction */
    SinoFlatInterpolation flat_interpolation; /* between sets of flat fields */
    SinoCountList flat_positions; /* projections before each set of flat fields; count 0: as the scan tells */
    bool minus_log;               /* --minus-log yes|no */
    double saturation;            /* counts of this value or more are undefined; 0: none; NaN: auto */
    double max_repaired;          /* largest share of undefined values that a run accepts */
    char *follow;                 /* another process may still write the scan: "yes", or a page; NULL: no */
    double follow_timeout_s;      /* how long to wait for its next projection */
} SinoInputSettings;
