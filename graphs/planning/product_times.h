/* SPDX-License-Identifier: BSD-3-Clause */
/* Product times: how long products take on this machine, by what runs here have measured of them. */
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
