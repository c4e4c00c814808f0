/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector cost: what the projectors of a parallel beam cost, in seconds of one worker.
 *
 * Constants are multiples of what the kernels of `rays` take for a nonzero, measured in one run each
 * (docs/lab/projectors.md), so that they follow the rate of the machine (SinoRates.kernel_gflops). */
#pragma once

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
