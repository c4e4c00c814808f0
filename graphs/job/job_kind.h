/* SPDX-License-Identifier: BSD-3-Clause */
/* Job kinds: what is reconstructed from what, a row each. Every verb that plans, measures or reconstructs looks its row
 * up once; what it does for each kind stands in a table of its own, by SinoJobKind.job. */
#pragma once

#include "settings.h"
#include "status.h"

typedef enum SinoJobChoice {
    SINO_JOB_SCAN,    /* slices of a scan with parallel rays */
    SINO_JOB_FDK,     /* the volume of a scan with cone or fan beams, by FDK, which streams projections */
    SINO_JOB_VOLUME,  /* the same by an iterative algorithm, as a whole */
    SINO_JOB_VECTORS, /* likewise of projections that have vectors */
    SINO_JOB_COUNTS,  /* images of counts, by a system matrix */
    SINO_JOBS
} SinoJobChoice;

typedef enum SinoBeam { SINO_BEAM_NONE, SINO_BEAM_PARALLEL, SINO_BEAM_CONE /* or fans, or vectors */ } SinoBeam;

/* What not every kind has. */
typedef enum SinoJobUse {
    SINO_JOB_RANKS,  /* several ranks share the work */
    SINO_JOB_MIXED,  /* --precision mixed */
    SINO_JOB_TRY,    /* --reconstruction-type try */
    SINO_JOB_INIT,   /* init */
    SINO_JOB_RANGE,  /* --output-range auto */
    SINO_JOB_FOLLOW, /* --follow */
    SINO_JOB_USES
} SinoJobUse;

typedef struct SinoJobKind {
    SinoJobChoice job;
    const char *name;                 /* the settings that choose it */
    SinoBeam beam;                    /* NONE: the input is no scan */
    bool devices;                     /* those of a machine file count in its plan; others read no rates of devices */
    const char *lacks[SINO_JOB_USES]; /* why it lacks the use, as a clause; NULL: it has it */
} SinoJobKind;

extern const SinoJobKind sino_job_kinds[SINO_JOBS];

/* The row of these settings, whose geometry is one that recon takes. */
const SinoJobKind *sino_job_kind(const SinoSettings *settings);

bool sino_job_can(const SinoJobKind *kind, SinoJobUse use);

/* Whether the settings are of a scan with cone or fan beams, or with vectors. */
bool sino_job_is_cone(const SinoSettings *settings);
bool sino_job_is_fan(const SinoGeometrySettings *settings); /* of fan beams */

/* SINO_BAD_INPUT: the kind lacks it; the text says why, and names the kinds that have it. */
SinoStatus sino_job_check(const SinoJobKind *kind, SinoJobUse use);
