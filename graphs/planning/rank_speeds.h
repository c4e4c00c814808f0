/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank speeds: how long products take, and how fast each rank computes them, by the times that runs on its node have
 * kept. */
#pragma once

#include "run_plan.h"
#include "task_cost.h"

/* What is told of a projection and a backprojection. */
typedef struct SinoProductTimes {
    SinoCostSource source; /* RATE: nothing was measured that helps; the other members are 0 */
    double product_s; /* of one slice, all partitions of all ranks, on one processor: the mean of both directions */
    double error;     /* relative */
} SinoProductTimes;

/* The plan's products on a kind of processor (device.h), of minibatches of the plan's size and partitions of equal
 * weight. `costs`: NULL: none. */
SinoProductTimes sino_product_times(const SinoRunPlan *plan, const SinoTaskCosts *costs, unsigned device);

/* Slices per second of `cores` cores and `devices` devices of the kinds `kinds` (device.h), by the plan's products; 0:
 * the costs do not tell, or there are two kinds of devices. Cores count if no device computes, or `kinds` names them.
 */
double sino_rank_speed(const SinoRunPlan *plan, const SinoTaskCosts *costs, unsigned kinds, int64_t cores,
                       int64_t devices);

/* Collective. Relative speeds, the fastest rank's 1, in steps of 0.05, so that they seldom differ from run to run:
 * *weight[rank], which the caller frees. NULL, with a message: a rank has kept no times that tell. SINO_FAILED: no
 * memory. */
SinoStatus sino_rank_speeds(const SinoRuntime *runtime, SinoProcesses *processes, const SinoRunPlan *plan,
                            double **weight);
