/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds: times that no schedule of measured tasks can beat. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Tasks in the order of submission. Task t takes seconds[t] ≥ 0 and waits for the tasks edge[first_edge[t]] …
 * edge[first_edge[t + 1] − 1], which all come before it. */
typedef struct SinoTaskTimes {
    int64_t count;
    const double *seconds;      /* [count] */
    const uint32_t *first_edge; /* [count + 1] */
    const uint32_t *edge;
} SinoTaskTimes;

typedef struct SinoChain {
    double seconds; /* the sum over the chain */
    int64_t last;   /* its last task; −1: there is none */
    int64_t *before; /* [count] the task before each task in the longest chain that ends with it; −1: it is the first */
} SinoChain;

/* The critical path: the longest chain of tasks that wait for each other. The caller frees chain->before. SINO_FAILED:
 * no memory. */
SinoStatus sino_critical_path(const SinoTaskTimes *tasks, SinoChain *chain);

enum { SINO_BOUND_TYPES = 3 }; /* types of workers: cores, CUDA devices, OpenCL devices */

/* Tasks of one kind: their number, and the mean time on each type of worker; 0: none ran there, so none can. */
typedef struct SinoKindTimes {
    double count, mean_s[SINO_BOUND_TYPES];
} SinoKindTimes;

/* The area bound: the least time in which workers[type] workers of each type can do all tasks if they wait for nothing
 * and tasks can be divided. A linear program, solved by its dual: any prices of the types' time give a lower bound, and
 * the best prices give the optimum. */
double sino_area_bound(int64_t kind_count, const SinoKindTimes *kind, const int64_t workers[SINO_BOUND_TYPES]);
