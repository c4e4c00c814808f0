/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan of units that are in memory as a whole (unit_plan.h), as a table for people and as JSON (docs/JSON.md): lines of
 * the kind, then its memory and times. */
#pragma once

#include "settings.h"
#include "unit_plan.h"

#include <stdio.h>

typedef struct SinoUnitReport {
    const SinoSettings *settings;
    const void *of; /* what is planned; not owned */
    SinoUnitPlanRequest request;
    SinoUnitPlan plan; /* made by sino_plan_units */
    void (*print_head)(const struct SinoUnitReport *report, FILE *out);
    void (*json_head)(const struct SinoUnitReport *report, SinoJson *json);
    /* What the plan assumes of kernels; the caller goes on with files and messages. */
    void (*print_assumed)(const struct SinoUnitReport *report, FILE *out);
} SinoUnitReport;

/* Plans, and prints on stdout. Errors: those of sino_unit_plan_new. */
SinoStatus sino_plan_units(SinoUnitReport *report);

/* The plan of a cone beam that an iterative algorithm reconstructs. `assumed`: lengths of the cone are usual ones.
 * SINO_BAD_INPUT: recon would refuse the settings; the machine is not `usual`. */
SinoStatus sino_plan_volume(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone, bool assumed);
