/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix plan: the memory of a reconstruction from counts and a system matrix, and its time. */
#ifndef SINO_MATRIX_PLAN_H
#define SINO_MATRIX_PLAN_H

#include "machine_rates.h"
#include "matrix_input.h"

typedef struct SinoMatrixPlanRequest {
    const SinoProblem *problem; /* of the kind matrix */
    const SinoSolver *solver;
    const SinoMatrixFiles *files;
    SinoMachine machine;
    int64_t set_count;       /* of the counts */
    int64_t history_numbers; /* of a set (SinoHistory) */
    int64_t record_bytes;    /* with compressed slices that wait to be written */
    bool cached;             /* there is a directory for a matrix that does not fit memory */
} SinoMatrixPlanRequest;

typedef struct SinoMatrixPlan {
    int64_t batch_sets;  /* that are solved together */
    SinoMatrixStay stay; /* windows: row partitions that are in memory at a time, from a file of the cache; 0: all */
    SinoMatrixSolutionBytes bytes;
    int64_t total_bytes; /* with the program itself and the record */
    int64_t budget_bytes;
} SinoMatrixPlan;

/* The request of a run of recon with these settings; pointers are not owned. */
SinoMatrixPlanRequest sino_matrix_plan_request(const SinoSettings *settings, const SinoMatrixInput *input,
                                               const SinoMachine *machine);

/* As many sets together as two panels hold and memory allows. Where devices compute, blocks get lists for them, unless
 * memory has no room for these. A matrix that does not fit goes to the cache, if there is one. SINO_BAD_INPUT: not even
 * one set fits, memory or a device; the text names a memory that would do. */
SinoStatus sino_matrix_plan_new(const SinoMatrixPlanRequest *request, SinoMatrixPlan *plan);

/* The least memory that any plan takes. */
SinoStatus sino_matrix_plan_least_bytes(const SinoMatrixPlanRequest *request, int64_t *bytes);

/* Rates of one worker: measured in docs/PERFORMANCE.md. */
typedef struct SinoMatrixRates {
    double pack_gnnz;  /* 10⁹ nonzeros that it packs per second */
    double nonzero_ns; /* both products of a nonzero, or a sweep over it, take this, and … */
    double set_ns;     /* … this for each set that is solved with others */
} SinoMatrixRates;

SinoMatrixRates sino_matrix_rates(SinoPrecision precision);

/* Seconds of the rank that the survey is of; nothing overlaps. */
typedef struct SinoMatrixTimes {
    double load;      /* the matrix is read and packed */
    double start;     /* before the iterations: a product for the sensitivities or weights, and a first sweep */
    double read;      /* of one iteration: the matrix is read from memory, once or twice */
    double products;  /* of one iteration: computed, as if the matrix were in the cache */
    double vectors;   /* of one iteration */
    double exchange;  /* of one iteration: sums of voxels over ranks */
    double iteration; /* the longer one of read and products, then vectors and exchange; of all sets */
    double store;
    double run;
} SinoMatrixTimes;

/* The time of a run in which no set stops early. */
SinoMatrixTimes sino_matrix_times(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan, int64_t iterations);

#endif
