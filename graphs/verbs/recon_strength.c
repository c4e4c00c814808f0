/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto: the strength of the prior, found once for the whole volume by its middle slice. */
#include "recon_strength.h"

#include "arithmetic.h"
#include "strength.h"

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

SinoStatus sino_recon_strength(const SinoReconStrength *of, double *strength)
{
    const SinoSettings *settings = of->settings;
    SinoInput input = *of->input;
    *strength = settings->regularization;
    if (of->solver->choice != SINO_ALGORITHM_FISTA || !isnan(*strength) || of->op->idle) return NULL;
    sino_input_take_slices(&input, of->slice, 1);
    input.first_slice = 0; /* of the slices that are reconstructed */
    input.run = NULL;
    input.place = NULL;
    SINO_TRY(sino_input_take_angles(&input, of->op->place));
    const SinoStrengthRequest request = {.runtime = of->runtime,
                                         .settings = settings,
                                         .input = &input,
                                         .op = of->op,
                                         .solver = of->solver,
                                         .width = width_of(of->team, of->op, of->solver)};
    SinoStatus status = sino_strength_find(&request, strength);
    free(input.run);
    free(input.place);
    if (status) return status;
    sino_log_info(sino_runtime_log(of->runtime), "solver",
                  "regularization: %.2g, by both halves of the projections of slice %" PRId64, *strength, of->slice);
    return NULL;
}
