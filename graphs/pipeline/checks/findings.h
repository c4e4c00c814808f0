/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings: what in a scan is probably not meant, and what settings that are left to sinodag are for it. */
#pragma once

#include "input.h"

typedef struct SinoFinding {
    bool refused;      /* recon refuses the scan; false: it warns */
    bool harmless;     /* recon only tells what it does */
    const char *event; /* of the log: "theta", "data" … */
    char text[640];    /* what was found, and what to type */
} SinoFinding;

/* What a setting that is left to sinodag is for this scan. */
typedef struct SinoEvidence {
    const char *setting; /* its name; constant */
    char value[24];
    char reason[256];
} SinoEvidence;

enum { SINO_FINDINGS_MAX = 16, SINO_EVIDENCE_MAX = 8 };
typedef struct SinoFindings {
    int64_t count;
    SinoStageChoice stages; /* the stages that the values ask for */
    double reverse_percent; /* mismatch of rays and their reverses that fit the beam of the settings, in a whole turn,
                             * in percent of the standard deviation; 0: not judged, or they do not fit */
    double reverse_axis;    /* the column about which they fit */
    int64_t half_side;      /* of a half acquisition whose size is left to sinodag: voxels along a side; else 0 */
    SinoFinding finding[SINO_FINDINGS_MAX];
    int64_t evidence_count;
    SinoEvidence evidence[SINO_EVIDENCE_MAX];
} SinoFindings;

/* Adds a finding: what recon refuses, or warns of. */
void sino_findings_add(SinoFindings *findings, bool refused, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a harmless finding: what recon does. */
void sino_findings_note(SinoFindings *findings, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether recon refuses the scan. */
bool sino_findings_refuse(const SinoFindings *findings);

/* Adds evidence. */
void sino_findings_tell(SinoFindings *findings, const char *setting, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
