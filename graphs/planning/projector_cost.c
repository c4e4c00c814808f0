/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector cost: what the projectors of a parallel beam cost, in seconds of one worker. */
#include "projector_cost.h"

#include "gridding_task.h"
#include "toeplitz_task.h"
#include "trace_task.h"

enum { PANEL = 16 };

/* Cost model of a product of F slices, measured at F = 1 … 64 (docs/PERFORMANCE.md): reading A costs as much as twenty
 * slices. */
double sino_forecast_kernel_efficiency(int64_t slices)
{
    const double read = 20, count = (double)(slices < PANEL ? slices : PANEL);
    return count * (read + PANEL) / (PANEL * (read + count));
}

/* Costs in flops at SinoRates.kernel_gflops: of a stored nonzero that is traced; of a pixel, angle and slice; of a
 * sample of a turned image, once for all slices of a minibatch, and for each slice. A slice has N²·K samples. */
static const double trace_flops = SINO_TRACE_FLOPS, pixel_flops = 10;
static const struct Sample {
    double place, slice;
} sample_flops[SINO_INTERPOLATIONS] = {[SINO_INTERPOLATION_NEAREST] = {125, 4.5},
                                       [SINO_INTERPOLATION_LINEAR] = {150, 14},
                                       [SINO_INTERPOLATION_CUBIC] = {325, 60}};

/* A flop of FFTs as flops of products with ray lengths, measured in the same runs (docs/PERFORMANCE.md). */
static const double fft_flops = 2.5;

/* A flop of backprojection by nonuniform FFT, likewise; spreading and copies of slices are bound by memory. */
static const double gridding_flops = 5;

static double samples_of(const SinoProblem *problem)
{
    const double size = (double)problem->geometry.grid_size;
    return size * size * (double)problem->geometry.angle_count;
}

double sino_projector_product_s(const SinoProblem *problem, double nonzero_count, const SinoRates *rates,
                                int64_t slices)
{
    const struct Sample sample = sample_flops[problem->interpolation];
    const double nonzero_flops = 2, rate = 1e9 * rates->kernel_gflops;
    if (problem->projector == SINO_PROJECTOR_ROTATE)
        return samples_of(problem) * (sample.place / (double)slices + sample.slice) / rate;
    if (problem->projector == SINO_PROJECTOR_PIXELS) return samples_of(problem) * pixel_flops / rate;
    if (problem->projector == SINO_PROJECTOR_GRIDDING)
        return sino_gridding_plan_flops(&problem->geometry) * gridding_flops / rate;
    if (problem->projector == SINO_PROJECTOR_TOEPLITZ) /* an iteration counts two products */
        return sino_toeplitz_plan_flops(problem->geometry.grid_size) * fft_flops / (2 * rate);
    return nonzero_count * nonzero_flops / (rate * sino_forecast_kernel_efficiency(slices));
}

double sino_projector_job_s(const SinoWorkload *job, const SinoRunPlan *plan, const SinoRates *rates)
{
    const SinoOperatorSize *size = &plan->size;
    const int64_t products = job->solver->iterative ? 2 * job->history_columns - 1 : 1, slices = job->slice_count;
    const bool windows = plan->window_count > 0;
    const int64_t minibatch = windows ? plan->streaming.minibatch : sino_smaller(slices, PANEL);
    const double stored = (double)size->stored_angles / (double)plan->problem.geometry.angle_count;
    const double trace_s = size->nonzero_count * stored * trace_flops / (1e9 * rates->kernel_gflops);
    const int64_t traced = windows ? sino_times(products, sino_ceil_divide(slices, minibatch)) : 1;
    return trace_s * (double)traced +
           (double)products * (double)slices *
               sino_projector_product_s(&plan->problem, size->nonzero_count, rates, minibatch);
}
