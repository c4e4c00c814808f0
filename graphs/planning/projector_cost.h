/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector cost: what the projectors of a parallel beam cost, in seconds of one worker.
 *
 * Constants are multiples of what the kernels of `rays` take for a nonzero, measured in one run each
 * (docs/lab/projectors.md), so that they follow the rate of the machine (SinoRates.kernel_gflops). */
#pragma once

#include "models.h"
#include "run_plan.h"

/* One product, in one direction, of one slice in a minibatch of `slices`: without symmetry, and without tracing. */
double sino_projector_product_s(const SinoProblem *problem, double nonzero_count, const SinoRates *rates,
                                int64_t slices);

/* The products of the whole job, with those of trials of a strength on all columns, and the tracing of ray lengths:
 * once or, in windows, for every product of every minibatch. For devices it counts the time of a core that traces and
 * makes lists, although GPUs may do so. Depends on the job, its operator and the rates, not on how slices are divided;
 * windows depend on the minibatches of the plan. */
double sino_projector_job_s(const SinoWorkload *job, const SinoRunPlan *plan, const SinoMachine *machine);

/* Flops of tracing the stored ray lengths of a slice, on all ranks that share it; for devices with the lists that cores
 * make of them, which cost three times as much (regroup_task.c); and seconds of a core. */
double sino_projector_trace_flops(const SinoRunPlan *plan);
double sino_projector_trace_s(const SinoRunPlan *plan, const SinoMachine *machine);

/* Rank speeds: how long products take, and how fast each rank computes them, by the times that runs on its node have
 * kept. */

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
