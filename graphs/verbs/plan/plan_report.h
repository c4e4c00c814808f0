/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, reports: tables for people, JSON for programs, and a batch script. */
#pragma once

#include "cone_model.h"
#include "forecast.h"
#include "machine_rates.h"
#include "settings.h"
#include "text.h"
#include "unit_plan.h"

#include <stdio.h>

/* Cone model, report: predicted times of a cone-beam reconstruction as a table for people, and as JSON for programs. */

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

/* Plan, report: a forecast as a table for people, and as JSON for programs. */

void sino_plan_report_print(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

/* Prints one JSON object. Bytes of a projection are for all slices. */
void sino_plan_report_json(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

/* A scan without a file: counts of two bytes, one flat and one dark field; angles of --theta, else equal steps over
 * 180 degrees, or 360 of a cone beam, whose lengths are usual ones where they are not given. */
typedef struct SinoImagined {
    SinoScanInfo info;
    double *angle_rad; /* owned by the caller, after a failure, too */
} SinoImagined;

/* The input that it would be, which points into *imagined; the caller closes it first. */
SinoStatus sino_plan_imagine(const SinoSettings *settings, SinoImagined *imagined, SinoInput *input);

/* plan of a cone beam. */
SinoStatus sino_plan_cone(const SinoSettings *settings, SinoLog *log);

/* plan of counts with a system matrix. */
SinoStatus sino_plan_matrix(const SinoSettings *settings, SinoLog *log);

/* Plan, Slurm: a batch script of the run that was planned, of any kind of job. */

typedef struct SinoSlurmJob {
    const SinoMachine *machine; /* a node; not owned */
    int64_t worker_count;       /* of a rank: cores that compute, and a core for each device */
    int64_t total_bytes;        /* planned memory of a rank */
    double run_s;               /* planned */
} SinoSlurmJob;

/* Prints a script that reconstructs the scan, or the counts, on settings->plan.ranks ranks with the settings of the
 * plan. SINO_FAILED: no memory. */
SinoStatus sino_plan_slurm(const SinoSettings *settings, const SinoSlurmJob *job, FILE *out);

/* Plan of units that are in memory as a whole (unit_plan.h), as a table for people and as JSON (docs/JSON.md): lines of
 * the kind, then its memory and times. */

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
