/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution plan: the memory of an iterative reconstruction of a cone beam, and its time. */
#ifndef SINO_CONE_SOLUTION_PLAN_H
#define SINO_CONE_SOLUTION_PLAN_H

#include "cone_solution.h"
#include "machine_rates.h"

typedef struct SinoConeSolutionPlanRequest {
    const SinoProblem *problem; /* of the kind cone */
    const SinoInput *input;
    const SinoSolver *solver;
    SinoMachine machine;
    int64_t history_numbers; /* of a slice (SinoHistory) */
    int64_t field_images;    /* flat or dark fields that are averaged; 0: none */
    int64_t record_bytes;    /* with compressed slices that wait to be written */
} SinoConeSolutionPlanRequest;

typedef struct SinoConeSolutionPlan {
    SinoConeSets sets;
    SinoConeSolutionBytes bytes;
    int64_t loading_bytes; /* flat or dark fields being averaged */
    int64_t total_bytes;   /* with the program itself and the record */
    int64_t budget_bytes;
} SinoConeSolutionPlan;

/* The problem of a run of recon with these settings, as one of rank_count ranks; pointers are not owned.
 * SINO_BAD_INPUT: iterative algorithms do not take several ranks, a grid, another precision than single, or more
 * subsets than angles. */
SinoStatus sino_cone_solution_problem(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                      int64_t rank_count, SinoProblem *problem);

/* The request of a run of recon with these settings; pointers are not owned. */
SinoConeSolutionPlanRequest sino_cone_solution_plan_request(const SinoSettings *settings, const SinoInput *input,
                                                            const SinoProblem *problem, const SinoMachine *machine);

/* Sets for every worker to be busy, or the fewest if those do not fit. SINO_BAD_INPUT: the vectors of the solver do not
 * fit memory; the text names a memory that would do. */
SinoStatus sino_cone_solution_plan_new(const SinoConeSolutionPlanRequest *request, SinoConeSolutionPlan *plan);

/* The least memory that any plan takes. */
SinoStatus sino_cone_solution_least_bytes(const SinoConeSolutionPlanRequest *request, int64_t *bytes);

/* Rates of products of one worker, in 10⁹ updates (voxels times angles) per second: measured in docs/PERFORMANCE.md. */
typedef struct SinoConeProductRates {
    double project_gups, backproject_gups;
} SinoConeProductRates;

extern const SinoConeProductRates sino_cone_usual_products;

/* Seconds, of which nothing overlaps but load with what makes line integrals. */
typedef struct SinoConeSolutionTimes {
    double load;
    double start;     /* products before the first iteration: of the scan, or of weights */
    double products;  /* of one iteration */
    double vectors;   /* of one iteration: each vector is read once and written once */
    double iteration; /* both */
    double store;
    double run;
} SinoConeSolutionTimes;

/* The time of a run in which no volume stops early. */
SinoConeSolutionTimes sino_cone_solution_times(const SinoConeSolutionPlanRequest *request,
                                               const SinoConeSolutionPlan *plan, int64_t iterations);

#endif
