/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector cost: what the projectors of a parallel beam cost, in seconds of one worker. */
#include "projector_cost.h"

#include "halves.h"
#include "rays_tasks.h"
#include "resources.h"

enum { PANEL = 16 };

double sino_projector_trace_flops(const SinoRunPlan *plan)
{
    const SinoOperatorSize *size = &plan->size;
    const double stored = (double)size->stored_angles / (double)plan->problem.geometry.angle_count;
    return (plan->resources.lists_bytes > 0 ? 4 : 1) * SINO_TRACE_FLOPS * size->nonzero_count * stored;
}

double sino_projector_trace_s(const SinoRunPlan *plan, const SinoMachine *machine)
{
    const SinoRates *rates = &machine->rates;
    const double core_gflops = rates->of_devices ? machine->file.core.gflops : rates->kernel_gflops;
    return sino_projector_trace_flops(plan) / (1e9 * core_gflops);
}

double sino_projector_product_s(const SinoProblem *problem, double nonzero_count, const SinoRates *rates,
                                int64_t slices)
{
    const double nonzero_flops = 2, rate = 1e9 * rates->kernel_gflops;
    const SinoOperatorKind *kind = sino_operator_of(problem->projector);
    if (kind->product_flops) return kind->product_flops(problem, slices) / rate;
    return nonzero_count * nonzero_flops / (rate * sino_spmm_efficiency(slices));
}

double sino_projector_job_s(const SinoWorkload *job, const SinoRunPlan *plan, const SinoMachine *machine)
{
    const SinoRates *rates = &machine->rates;
    const SinoOperatorSize *size = &plan->size;
    const int64_t products = job->solver->iterative ? 2 * job->history_columns - 1 : 1, slices = job->slice_count;
    const bool windows = plan->window_count > 0;
    const int64_t minibatch = windows ? plan->streaming.minibatch : sino_smaller(slices, PANEL);
    const double trace_s = sino_projector_trace_s(plan, machine);
    const int64_t traced = windows ? sino_times(products, sino_ceil_divide(slices, minibatch)) : 1;
    const int64_t panel = job->solver->normal ? SINO_HALVES_WIDTH
                                              : sino_trial_batch(job, sino_operator_of(plan->problem.projector)).stride;
    const double trial_s = plan->trial_binning == 1
                               ? 2 * (double)sino_times(job->trial_iterations, panel) *
                                     sino_projector_product_s(&plan->problem, size->nonzero_count, rates, panel)
                               : 0;
    return trace_s * (double)traced + trial_s +
           (double)products * (double)slices *
               sino_projector_product_s(&plan->problem, size->nonzero_count, rates, minibatch);
}
