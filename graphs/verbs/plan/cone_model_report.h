/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model, report: predicted times of a cone-beam reconstruction as a table for people, and as JSON for programs. */
#pragma once

#include "cone_model.h"
#include "fdk_plan.h"
#include "json.h"

#include <stdio.h>

typedef struct SinoConeModelReport {
    SinoCone cone;
    bool assumed; /* lengths of the cone are usual ones, which nobody gave */
    SinoConeMachine machine;
    SinoConeProblem problem;
    SinoConeGrid grid;
    const char *why;   /* this grid; not owned */
    bool planned;      /* ranks compute on cores, by `plan`; false: on devices */
    SinoUnitPlan plan; /* of the memory of a rank */
    double range_s;    /* before the run, for the range of integers; 0: there is none to find */
} SinoConeModelReport;

/* Prints the memory and the times of a run, then the rows of the model's paper: predictions for its machine beside what
 * was measured there. */
void sino_cone_model_print(const SinoConeModelReport *report, FILE *out);

/* Prints the scan, its geometry and the volume; `assumed`: some lengths are usual ones. As text, and as members of an
 * open object. */
void sino_cone_print_scan(const SinoCone *cone, bool assumed, FILE *out);
void sino_cone_json_scan(SinoJson *json, const SinoCone *cone, bool assumed);

/* Prints one JSON object (docs/JSON.md). */
void sino_cone_model_json(const SinoConeModelReport *report, FILE *out);
