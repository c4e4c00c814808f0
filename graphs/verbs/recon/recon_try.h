/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --reconstruction-type try, inside: shared by recon_try.c and try_*.c. */
#pragma once

#include "job_kind.h"
#include "matrix_solution.h"
#include "recon.h"
#include "settings.h"
#include "settings_vary.h"
#include "slice_quality.h"
#include "stages.h"

typedef struct SinoTry {
    const SinoSettings *settings; /* not owned */
    SinoLog *log;
    SinoRuntime *runtime;
    SinoInput input;          /* one slice; of counts nothing: */
    SinoMatrixInput counts;   /* all sets */
    SinoIntegrals *integrals; /* of a cone beam, as SinoRecon has them */
    SinoTeam team;            /* a team of this rank alone */
    bool planned;             /* the team is made */
    SinoOperator *op;         /* of the last slice; NULL: none yet */
    double center;            /* as a column of the file */
    SinoBeam beam;
    bool directory_made;
    bool has_prior; /* of a cone beam, which all axes share: */
    SinoRegularization prior;
    SinoSwept swept;           /* the values that are tried, such as centers */
    SinoSliceQuality *quality; /* [swept.count]; owned */
    int64_t height, width;     /* of the slices; 0: there is none yet */
    char place[48];            /* that they show: "row 12" */
} SinoTry;

/* try_slice.c: opens the scan's slice with these settings, and finds the center if it is not known; at first, and again
 * where the values of the sweep change the input. */
SinoStatus sino_try_open(SinoTry *try, const SinoSettings *settings);
void sino_try_close(SinoTry *try);

/* Reconstructs the slice with value i of the sweep, as record->sections; the caller frees the record. */
SinoStatus sino_try_slice(SinoTry *try, int64_t i, SinoRecord *record);

/* try_counts.c: both for counts with a system matrix, of whose volume record->sections has the middle slice. */
SinoStatus sino_try_counts_open(SinoTry *try, const SinoSettings *settings);
SinoStatus sino_try_counts(SinoTry *try, const SinoSettings *settings, SinoRecord *record);

/* try_sheet.c: the file of value i, "OUT/recon_00296.50.tiff"; the caller frees it. */
SinoStatus sino_try_file(const SinoTry *try, int64_t i, char **name);

/* Writes the slice of value i, and measures and logs its quality. */
SinoStatus sino_try_write(SinoTry *try, int64_t i, const SinoSections *slice);

/* Names of the files that go beside the slices, OUT/sheet.html and OUT/sweep.csv; the caller frees both. */
SinoStatus sino_try_summary_files(const SinoTry *try, char **sheet, char **table);

/* Writes them, and says which center has the least entropy. */
SinoStatus sino_try_summary(SinoTry *try);
