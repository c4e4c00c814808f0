/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: one interface for measured input of every format (the table in scan.c).
 *
 * HDF5 is not thread-safe: a process makes one call at a time on all of its scans and volumes; the caller serialises
 * them. */
#pragma once

#include "numbers.h"
#include "scan_limits.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* What a file says about the source and the detector, in mm; 0: nothing. */
typedef struct SinoScanSetup {
    double source_object, source_detector; /* distances from the source to the rotation axis and to the detector */
    double pixel_width, pixel_height;      /* of the detector */
} SinoScanSetup;

typedef struct SinoScanInfo {
    const char *kind;      /* name of the format: "Data Exchange HDF5" … */
    const char *evidence;  /* by which the format was recognised: "it has the group /exchange" */
    const char *certainty; /* of that: "certain", "likely", "by your option" */
    const char
        *stored_type; /* type in the file: "uint16", "float64" …; "uint16, scaled": its numbers stand for others */
    SinoCountType type;
    int64_t angle_count, row_count, column_count;
    int64_t flat_count, dark_count; /* 0: absent */
    const int64_t *flat_position;   /* [flat_count]: projections of the file before each flat field, rising; NULL: the
                                     * file does not tell */
    const double *angle_rad;        /* angle_count finite values */
    int64_t file_angle_count;       /* projections of the file, before any are left out or averaged */
    int64_t angle_binning;          /* consecutive projections that are averaged to one; 1: none */
    const int64_t *projection;      /* [angle_count]: number of the (first) projection in the file; NULL: its own */
    double full_count;              /* largest value of a stored type of 8 or 16 bits; 0: another type */
    bool angle_radians;             /* the file says that its angles are radians, and was believed */
    bool angle_assumed;             /* the file has no angles; 0°…180° inclusive is assumed, as other tools do */
    bool angle_needed;              /* the format cannot store angles, so an assumption would be a guess */
    bool angle_named;               /* an array of the file may hold the angles, by --theta-dataset */
    bool beside;         /* angles or fields lie beside the dataset that the user named, as `evidence` says */
    bool line_integrals; /* the format holds line integrals, unless the user says otherwise; false: counts */
    SinoScanSetup setup; /* of the file */
    const char *remark;  /* problems of the files, a line for a warning each; "": none */
    int64_t file_count;  /* number of files with data, at least 1 */
    const char *const *file_name;
    int64_t flat_file_count, dark_file_count; /* files of --flats and --darks */
    const char *const *flat_file_name, *const *dark_file_name;
} SinoScanInfo;

typedef struct SinoScan SinoScan;

typedef struct SinoScanRequest {
    const char *path;    /* a file, a folder or a pattern; FILE:/DATASET names a dataset, too */
    const char *dataset; /* HDF5: the data, or an NXtomo entry; MATLAB: a variable; NULL: as the format has them */
    SinoScanAxes axes;   /* order of the dimensions of the data, in HDF5, NumPy, MATLAB and images */
    const char *theta;   /* angles (angle_list.h, or FILE:/DATASET of HDF5, or :/DATASET of the scan's file) that
                          * replace those of the scan; NULL: the scan's own */
    const char *theta_dataset; /* another way to say theta ":/DATASET"; NULL: none */
    SinoAngleUnit theta_unit;  /* of the angles, whatever files say */
    const char *flats, *darks; /* images by file, folder or pattern, FILE:/DATASET or :/DATASET, instead of the scan's
                                * own; NULL: its own */
    double open_beam;          /* count of every pixel of a scan's only flat field; 0: the scan has its own */
    const char *exclude;       /* numbers of projections to leave out, such as "30,100:110" without 110; NULL: none */
    bool limit_angles;         /* leave out the angles outside the next two: */
    double start_angle, end_angle; /* in degrees */
    int64_t angle_binning;         /* consecutive projections to average, their angles too; 0, 1: none */
    int half;                      /* 1, 2: of the angles that these leave, those of even or odd number; 0: all */
    double saturation;             /* where a projection has this count or more, averages have it; 0: full_count */
    int64_t columns;               /* raw sinograms: detector columns; else 0 */
    double follow_s; /* another process may still write the scan: the longest wait for a projection (scan_follow.h); 0:
                      * the scan is whole */
    const struct SinoMemoryScan *memory; /* arrays in place of files (memory_scan.h); NULL: files; not owned */
} SinoScanRequest;

/* Opens and closes the scan in a child process, within limits of time and memory (child.h): HDF5 and TIFF libraries
 * may crash or loop on malformed files. NULL: sino_scan_open will succeed, or it is a stream. Call it before threads
 * start.
 * SINO_BAD_INPUT: as of sino_scan_open, or the libraries cannot read the headers. */
SinoStatus sino_scan_try(const SinoScanRequest *request);

/* Opens a scan; the caller closes it. SINO_BAD_INPUT: no such file, no format recognises it, a dataset is missing or a
 * dangling link, wrong rank, no angles, a size of 0, sizes that disagree, an angle that is NaN or infinite (the error
 * gives its index), a raw file whose size is not a multiple of angles × columns × 4. */
SinoStatus sino_scan_open(const SinoScanRequest *request, SinoScan **scan);
void sino_scan_close(SinoScan *scan); /* takes NULL */
const SinoScanInfo *sino_scan_info(const SinoScan *scan);

/* Whether the file of the request can tell lengths of the beam (SinoScanInfo.setup), which HDF5 alone does without a
 * scanner's header. */
bool sino_scan_may_tell_setup(const SinoScanRequest *request);

/* Reads the box of projections first_angle … + angle_count − 1: counts[angle][row][column] of the info's type. */
SinoStatus sino_scan_read(SinoScan *scan, int64_t first_angle, int64_t angle_count, const SinoScanBox *box,
                          void *counts);

/* Reads the box of one projection: counts[row][column], converted to float. */
SinoStatus sino_scan_read_projection(SinoScan *scan, int64_t angle, const SinoScanBox *box, float *counts);

/* Read the box of `count` flat or dark fields from number `first` on: counts[field][row][column], converted to float.
 */
SinoStatus sino_scan_read_some_flats(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                     float *counts);
SinoStatus sino_scan_read_some_darks(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                     float *counts);

/* Read the box of all flat or dark fields: counts[field][row][column], converted to float. No-op when the scan has
 * none. */
SinoStatus sino_scan_read_flats(SinoScan *scan, const SinoScanBox *box, float *counts);
SinoStatus sino_scan_read_darks(SinoScan *scan, const SinoScanBox *box, float *counts);

/* What the frames of a scan are. */
typedef enum SinoScanField { SINO_FIELD_DATA, SINO_FIELD_FLATS, SINO_FIELD_DARKS, SINO_SCAN_FIELDS } SinoScanField;

/* Leaves out the flat or the dark fields whose out[number] is set, at least one and not all, once for each of both. The
 * others are numbered anew, in the info, too, whose remark has one sentence more. SINO_FAILED: no memory. */
SinoStatus sino_scan_leave_out(SinoScan *scan, SinoScanField field, const bool *out, const char *remark);

/* Writer of a Data Exchange scan (for the phantom): `data`, flats and darks as uint16 or float32, theta in degrees.
 * Rows are written as they come; the file has its final name only after sino_scan_writer_finish. */
typedef struct SinoScanWriter SinoScanWriter;

typedef struct SinoScanShape {
    SinoCountType type; /* uint16 or float32 */
    int64_t angle_count, row_count, column_count, flat_count, dark_count;
    const double *angle_rad;
    const char *description; /* attribute of the HDF5 file */
    SinoScanSetup setup;     /* written unless source_object is 0 */
} SinoScanShape;

SinoStatus sino_scan_writer_open(const char *path, bool overwrite, const SinoScanShape *shape, SinoScanWriter **writer);

/* Writes rows first_row … first_row + row_count − 1: counts[angle][row_count][column], flats[field][row_count][column],
 * darks likewise, of the shape's type. */
SinoStatus sino_scan_writer_rows(SinoScanWriter *writer, int64_t first_row, int64_t row_count, const void *counts,
                                 const void *flats, const void *darks);
SinoStatus sino_scan_writer_finish(SinoScanWriter *writer); /* closes and renames; always frees the writer */
void sino_scan_writer_abandon(SinoScanWriter *writer);      /* removes the temporary file; takes NULL */
