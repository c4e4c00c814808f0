/* SPDX-License-Identifier: BSD-3-Clause */
/* Info, reports: what is found in a scan or a system matrix. */
#pragma once

#include "checks.h"
#include "cone_scan.h"
#include "cone_weigh.h"
#include "counts_file.h"
#include "input.h"
#include "log.h"
#include "settings.h"
#include "status.h"
#include "text.h"

#include <stdio.h>

/* info, inside: of a system matrix, and of the counts of its rows. */

/* Prints what the counts and their --system-matrix are, and the memory of a recon. What recon would refuse is printed;
 * SINO_BAD_INPUT: a file is refused, or does not fit the matrix. */
SinoStatus sino_info_matrix(const SinoSettings *settings, SinoLog *log);

/* Prints what the input file is if it is a system matrix; `refused` says why it is no scan. Consumes `refused`, and
 * returns it if the file is no system matrix either. */
SinoStatus sino_info_unless_scan(const SinoSettings *settings, SinoStatus refused);

/* Info, report: what `info` found in a scan, as lines for people, and as JSON (docs/JSON.md). */

/* Sets of images of a scan. */
typedef enum SinoInfoField { SINO_INFO_DATA, SINO_INFO_FLATS, SINO_INFO_DARKS, SINO_INFO_FIELDS } SinoInfoField;

/* Statistics of the values of some images. */
typedef struct SinoSurvey {
    int64_t images;           /* images that were read */
    double least, most, sum;  /* of the finite values */
    int64_t count;            /* finite values */
    int64_t zero, not_finite; /* `zero`: of the finite ones */
    int64_t saturated;        /* at the largest value of the stored type */
} SinoSurvey;

/* The part of the report that a warning stands below. */
typedef enum SinoInfoPart {
    SINO_INFO_OF_FILE,
    SINO_INFO_OF_ANGLES,
    SINO_INFO_OF_FIELDS, /* + SinoInfoField */
    SINO_INFO_OF_RECON = SINO_INFO_OF_FIELDS + SINO_INFO_FIELDS
} SinoInfoPart;

enum { SINO_INFO_WARNINGS_MAX = 32 };
typedef struct SinoInfoWarning {
    SinoInfoPart part;
    char *text; /* owned */
} SinoInfoWarning;

typedef struct SinoInfoReport {
    const SinoSettings *settings;                              /* not owned */
    SinoInput *input;                                          /* not owned */
    double least_rad, most_rad, least_step_rad, most_step_rad; /* of the angles, sorted */
    int64_t repeated_angles;
    SinoSurvey seen[SINO_INFO_FIELDS]; /* images 0: the field was not read */
    SinoScanSetup setup;               /* of a cone beam */
    bool cone_known;                   /* it is complete, and recon takes it with the axis in the middle: */
    SinoCone cone;
    SinoConeArc arc;        /* for fdk; its length 0: fdk does not take it */
    SinoFindings findings;  /* what recon warns of or refuses */
    int64_t usual_bytes;    /* memory of a recon with the default settings; 0: impossible here */
    int64_t operator_bytes; /* part of usual_bytes: the ray lengths of a parallel beam */
    int64_t voxel_bytes;    /* part of usual_bytes: the voxels of a cone beam by fdk */
    int64_t pass_count;     /* passes of fdk over the projections of a cone beam; 0: not known */
    int64_t least_bytes;    /* the least memory of a recon, of a cone beam by fdk */
    SinoToldSettings usual; /* of a cone beam: why the algorithm of the settings is the usual one */
    int64_t solution_bytes; /* of a cone beam: its least memory, or cg's where it is fdk; 0: not known */
    int64_t warning_count;
    SinoInfoWarning warning[SINO_INFO_WARNINGS_MAX]; /* beyond, warnings are lost */
} SinoInfoReport;

/* Adds a warning. SINO_FAILED: no memory. */
SinoStatus sino_info_warn(SinoInfoReport *report, SinoInfoPart part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void sino_info_report_print(const SinoInfoReport *report, FILE *out);
void sino_info_report_json(const SinoInfoReport *report, FILE *out);

/* Frees what the report owns. */
void sino_info_report_clear(SinoInfoReport *report);

/* Matrix report: what info and plan tell of a system matrix and of the counts of its rows, as lines for people, and as
 * members of a JSON object (docs/JSON.md). */

/* A line such as "matrix       scan.csr4", of a text that may come from a file. */
void sino_report_line(const char *name, const char *text, FILE *out);

/* Lines of the format, the sizes and the grid of a matrix. */
void sino_matrix_report_print(const char *kind, const SinoMatrixOutline *outline, FILE *out);

/* The member "matrix". */
void sino_matrix_report_json(const char *path, const char *kind, const SinoMatrixOutline *outline, SinoJson *json);

/* Lines of the name and the format of a file of counts. */
void sino_counts_report_print(const char *path, const SinoCountsInfo *info, FILE *out);

/* The members "file", "format", "stored_type", "events" and "sets". */
void sino_counts_report_json(const char *path, const SinoCountsInfo *info, SinoJson *json);
