/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto and --iterations auto: found once for the whole volume, by one slice. */
#include "recon_halves.h"

#include "arithmetic.h"
#include "halves_normal.h"
#include "recon.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTH_MOST = 8 };

/* The largest minibatch, of 2, 4 or 8 slices, for which memory has room beside the operator; at least 2. */
static int64_t width_of(const SinoTeam *team, const SinoOperator *op, const SinoSolver *solver)
{
    const SinoRunPlan *plan = &team->forecast.plan;
    const SinoBatch own = {.stride = plan->streaming.stride, .history_numbers = 1};
    const int64_t slot = sino_minibatch_bytes(op->kind, &solver->vectors, &op->shape, own);
    const int64_t rest = plan->resources.total_bytes - sino_times(slot, plan->streaming.slots);
    int64_t width = WIDTH_MOST;
    for (; width > 2; width /= 2) {
        const SinoBatch batch = {.stride = width, .history_numbers = 1};
        const int64_t bytes = sino_minibatch_bytes(op->kind, &solver->vectors, &op->shape, batch);
        if (plan->budget_bytes == 0 || rest + bytes <= plan->budget_bytes) break;
    }
    return width;
}

/* Minibatches at a time: for workers that a single one would leave idle, within the memory of the run's own slots.
 * Ranks that share a slice exchange the messages of one. */
static int64_t trials_of(const SinoReconHalves *of, int64_t width)
{
    const SinoRunPlan *plan = &of->team->forecast.plan;
    const SinoBatch own = {.stride = plan->streaming.stride, .history_numbers = 1};
    const SinoBatch batch = {.stride = width, .history_numbers = 1};
    const SinoVectors *vectors = &of->solver->vectors;
    const int64_t devices = sino_runtime_device_count(of->runtime);
    const int64_t workers = devices > 0 ? devices : sino_runtime_worker_count(of->runtime);
    const int64_t slots =
        sino_times(sino_minibatch_bytes(of->op->kind, vectors, &of->op->shape, own), plan->streaming.slots);
    const int64_t room = slots / sino_minibatch_bytes(of->op->kind, vectors, &of->op->shape, batch);
    if (of->op->ranks->shape.data_count > 1) return 1;
    return sino_larger(1, sino_smaller(room, sino_halves_trials(workers, plan->partition_count)));
}

/* Restricts the input to the slice, searches, and gives back what the input then owns. */
static SinoStatus find(const SinoReconHalves *of, const SinoHalvesNormal *normal, SinoReconChoice *choice)
{
    SinoInput input = *of->input;
    sino_input_take_slices(&input, of->slice, 1);
    input.first_slice = 0; /* of the slices that are reconstructed */
    input.run = NULL;
    input.place = NULL;
    SINO_TRY(sino_input_take_angles(&input, of->op->place));
    const int64_t width = normal ? WIDTH_MOST : width_of(of->team, of->op, of->solver);
    const SinoHalvesRequest request = {.runtime = of->runtime,
                                       .settings = of->settings,
                                       .input = &input,
                                       .op = of->op,
                                       .solver = of->solver,
                                       .normal = normal,
                                       .mask = of->mask,
                                       .scale = sino_recon_scale(of->settings),
                                       .width = width,
                                       .trials = normal ? 1 : trials_of(of, width)};
    SinoStatus status = of->solver->choice == SINO_ALGORITHM_FISTA
                            ? sino_halves_regularization(&request, &choice->regularization)
                            : sino_halves_iterations(&request, &choice->iterations);
    free(input.run);
    free(input.place);
    return status;
}

const char *sino_prior_name(SinoPriorChoice prior)
{
    static const char *const name[] = {"total-variation", "huber", "qggmrf"};
    return name[prior];
}

/* What was found. */
static void tell(const SinoReconHalves *of, const SinoReconChoice *choice)
{
    SinoLog *log = sino_runtime_log(of->runtime);
    const SinoRegularization *found = &choice->regularization;
    if (of->solver->choice != SINO_ALGORITHM_FISTA) {
        sino_log_info(log, "solver", "iterations: %" PRId64 ", by both halves of the projections of slice %" PRId64,
                      choice->iterations, of->slice);
        return;
    }
    if (found->prior != SINO_PRIOR_TOTAL_VARIATION)
        sino_log_info(log, "solver", "prior: %s, threshold %.3g per voxel", sino_prior_name(found->prior),
                      found->threshold);
    if (isnan(of->settings->regularization))
        sino_log_info(log, "solver",
                      "regularization: %.2g, by how well slice %" PRId64 " predicts projections that it lacks",
                      found->strength, of->slice);
    if (found->negative)
        sino_log_warning(log, "solver",
                         "slice %" PRId64 " predicts projections that it lacks far better with values below 0, which "
                         "phase contrast and wrong flat fields cause: the volume has such values (--nonnegativity yes: "
                         "it has none)",
                         of->slice);
}

SinoStatus sino_recon_halves(const SinoReconHalves *of, SinoReconChoice *choice)
{
    const SinoSettings *settings = of->settings;
    const bool fista = of->solver->choice == SINO_ALGORITHM_FISTA;
    *choice = (SinoReconChoice){
        .regularization = {.prior = settings->prior, .strength = fista ? settings->regularization : NAN}};
    const bool seeks = (fista && (isnan(settings->regularization) || settings->prior != SINO_PRIOR_TOTAL_VARIATION)) ||
                       (!fista && of->solver->iterative && settings->iterations == 0);
    SinoHalvesNormal *normal = NULL;
    if (sino_workload_is_sought(of->solver, settings)) /* idle ranks take part */
        SINO_TRY(sino_halves_normal_new(of->runtime, &of->op->problem, of->op->idle, &normal));
    SinoStatus status = of->op->idle || !seeks ? NULL : find(of, normal, choice);
    sino_halves_normal_free(normal);
    if (!status && seeks && !of->op->idle) tell(of, choice);
    return status;
}
