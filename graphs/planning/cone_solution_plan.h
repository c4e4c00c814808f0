/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution plan: the memory of an iterative reconstruction of a cone beam. */
#ifndef SINO_CONE_SOLUTION_PLAN_H
#define SINO_CONE_SOLUTION_PLAN_H

#include "cone_solution.h"
#include "machine_rates.h"

typedef struct SinoConeSolutionPlanRequest {
    const SinoProblem *problem; /* of the kind cone */
    const SinoInput *input;
    const SinoSolver *solver;
    SinoMachine machine;
    int64_t history_columns;
    int64_t field_images; /* flat or dark fields that are averaged; 0: none */
    int64_t record_bytes;
} SinoConeSolutionPlanRequest;

typedef struct SinoConeSolutionPlan {
    SinoConeSets sets;
    SinoConeSolutionBytes bytes;
    int64_t loading_bytes; /* flat or dark fields being averaged */
    int64_t total_bytes;   /* with the program itself and the record */
    int64_t budget_bytes;
} SinoConeSolutionPlan;

/* Sets for every worker to be busy, or the fewest if those do not fit. SINO_BAD_INPUT: the vectors of the solver do not
 * fit memory; the text names a memory that would do. */
SinoStatus sino_cone_solution_plan_new(const SinoConeSolutionPlanRequest *request, SinoConeSolutionPlan *plan);

#endif
