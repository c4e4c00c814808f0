/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: the plan of a run (run_plan.h), the way rays are stored, and the duration of the run, before anything is
 * allocated.
 *
 * Times follow from the machine's rates: kernels from a rate per worker, sums of vectors from the bandwidth of memory,
 * exchanges from the bandwidth of their level. If the machine has costs, kernels follow from times that were measured.
 * Where devices with rates compute, iterations and the run follow from a schedule, and the plan's partitions and
 * minibatch are those of the shortest run. Times do not include building the operator, waiting for slower ranks beyond
 * uneven shares, or contention of the network. The kernel rate holds with symmetry if angles pair up. Without symmetry
 * kernels read each angle's lengths and run at 0.87 of that rate (docs/lab/kernels.md: 92.4 of 106.2 GFLOP/s). */
#pragma once

#include "projector_cost.h"
#include "run_plan.h"

/* Seconds of the busiest rank. An iteration covers all slices of the rank's group. */
typedef struct SinoForecastTimes {
    double kernel, update, socket, node, global; /* of an iteration: each part by itself */
    double iteration;                            /* of an iteration, overlap taken into account */
    double finish;                               /* of the run: what follows the last iteration of each slice */
    double files;                                /* of the run: reading and writing files */
    double search; /* of the run: the search for a prior's strength, or, at most, numbers of iterations; 0: none */
    double run;
} SinoForecastTimes;

/* What a projector takes that a forecast has compared with others. */
typedef struct SinoProjectorCost {
    bool known;           /* false: not compared, or refused */
    double work_s;        /* of one worker: products and tracing (projector_cost.h) */
    double run_s;         /* of the run, with tracing */
    int64_t memory_bytes; /* of a rank */
} SinoProjectorCost;

typedef struct SinoForecast {
    SinoRunPlan plan;
    char symmetry_why[512];
    char projector_why[640];  /* empty: the user's projector, or rays */
    char projector_hint[200]; /* empty unless the normal operator, which changes values, is far faster */
    SinoProjectorCost cost[SINO_PROJECTORS];
    SinoForecastTimes times;
    SinoProductTimes products; /* what runs have measured, if `times` follow from it */
} SinoForecast;

/* If several ranks share each slice and angles pair up, two ways are forecast: partitions that own whole orbits of
 * tiles, whose footprints lie on many sides; and compact partitions of an operator that stores every angle. The faster
 * way that fits memory is chosen, or the smaller one if the times are within 2 %. `symmetry_why` says why.
 *
 * If the projector is AUTO, a method without iterations takes `pixels` where tracing ray lengths costs more than it
 * saves, and an iterative method takes `rotate` where they do not fit memory and that is faster than tracing them for
 * every product; of these two `toeplitz` takes the place where ray lengths do not fit memory, if the request allows it
 * and it takes at most half of their work. `projector_why` says why. plan.problem.projector is never AUTO. Errors:
 * those of sino_run_plan_new. */
SinoStatus sino_forecast_new(const SinoPlanRequest *request, SinoForecast *forecast);
void sino_forecast_free(SinoForecast *forecast);

/* Schedule: how long a planned run takes where devices compute, by a list schedule of its tasks.
 *
 * Tasks have the times that a simulation gives them (sino_processor_s, sino_spmm_efficiency). A task goes where it ends
 * first, transfers of its data included, which is the rule of the policy dmda. Transfers share links. Left out are
 * memory of devices that is short, stages other than the correction, and messages between ranks. */

/* Whether the machine's devices have rates and compute; only then there is a schedule. */
bool sino_schedule_serves(const SinoMachine *machine);

typedef struct SinoScheduleTimes {
    double iteration; /* of all slices of the busiest rank */
    double run;       /* from the first correction to the last slice that is written; the operator is there */
} SinoScheduleTimes;

/* SINO_FAILED: no memory. */
SinoStatus sino_schedule_times(const SinoPlanRequest *request, const SinoRunPlan *plan, SinoScheduleTimes *times);
