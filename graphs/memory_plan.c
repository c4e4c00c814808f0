/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory plan: how many slices are fused, in flight and loaded at once, so that a run stays within its budget whatever
 * the number of slices. */
#include "memory_plan.h"

#include "memory.h"
#include "platform.h"

#include <inttypes.h>

/* Slices that share each length of A: more cost memory and gain little (docs/PERFORMANCE.md). */
enum { DEFAULT_MINIBATCH = 16 };

typedef struct Need {
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoSolver *solver;
    int64_t operator_bytes, worker_count;
} Need;

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t history_columns(const Need *need)
{
    return need->solver->iterative ? need->settings->iterations + 1 : 1;
}

/* Fills in everything that follows from minibatch, slots and partition_count. */
static void complete(const Need *need, SinoMemoryPlan *plan)
{
    const SinoInput *input = need->input;
    plan->operator_bytes = need->operator_bytes;
    plan->stride = sino_panel_stride(need->settings->precision, plan->minibatch);
    plan->slab_slices = plan->slots * plan->minibatch;
    if (plan->slab_slices > input->slice_count) plan->slab_slices = input->slice_count;
    plan->slab_count = ceil_divide(input->slice_count, plan->slab_slices);
    plan->slot_bytes = sino_minibatch_bytes(&input->geometry, need->settings->precision, plan->partition_count,
                                            plan->stride, need->solver->vectors, history_columns(need));
    const int64_t field = sino_input_field_bytes(input, plan->slab_slices);
    const int64_t field_count = input->flat_correction == SINO_FLAT_NONE ? 0 : 2;
    plan->slab_bytes = sino_input_slab_bytes(input, plan->slab_slices) + field_count * field;
    const int64_t most_fields =
        input->info->flat_count > input->info->dark_count ? input->info->flat_count : input->info->dark_count;
    const int64_t loading = field_count > 0 ? most_fields * field : 0;
    const int64_t slabs = plan->slab_count > 1 ? 2 : 1;
    const int64_t run = input->slice_count * (history_columns(need) + 1) * 8 +
                        input->geometry.grid_size * input->geometry.grid_size * 8;
    /* The operator is built before anything else is there. */
    const int64_t building =
        sino_operator_building_bytes(&input->geometry, plan->partition_count, need->worker_count, need->operator_bytes);
    /* SIRT's weights are vectors of one slice. */
    const int64_t weights = sino_minibatch_bytes(&input->geometry, need->settings->precision, plan->partition_count, 1,
                                                 need->solver->vectors, 1);
    const int64_t running = weights + plan->slots * plan->slot_bytes + slabs * plan->slab_bytes + loading + run;
    plan->total_bytes = sino_runtime_base_bytes() + need->operator_bytes + (building > running ? building : running);
}

/* Minibatches of nearly equal size, none of a few slices only at the end. */
static void balance(const Need *need, SinoMemoryPlan *plan)
{
    const int64_t slices = need->input->slice_count;
    plan->minibatch = ceil_divide(slices, ceil_divide(slices, plan->minibatch));
}

static SinoStatus too_little(const Need *need, const SinoMemoryPlan *plan)
{
    char budget[24], total[24], operator_text[24];
    const char *origin = need->settings->memory_bytes ? "memory is" : "memory is not given and this machine has";
    return sino_error(SINO_BAD_INPUT,
                      "%s %s; this reconstruction needs at least %s (%s of it for the operator of %" PRId64
                      " angles and %" PRId64 " columns); allowed: --memory %" PRId64 "MiB or more",
                      origin, sino_bytes_text(plan->budget_bytes, budget), sino_bytes_text(plan->total_bytes, total),
                      sino_bytes_text(need->operator_bytes, operator_text), need->input->geometry.angle_count,
                      need->input->geometry.column_count, (plan->total_bytes >> 20) + 1);
}

/* Gives up slots first, then slices of a minibatch. */
static SinoStatus shrink(const Need *need, bool minibatch_given, SinoMemoryPlan *plan)
{
    complete(need, plan);
    while (plan->total_bytes > plan->budget_bytes) {
        if (plan->slots > 1) {
            plan->slots--;
        } else if (!minibatch_given && plan->minibatch > 1) {
            plan->minibatch /= 2;
            balance(need, plan);
        } else {
            return too_little(need, plan);
        }
        complete(need, plan);
    }
    return NULL;
}

SinoStatus sino_memory_plan(const SinoSettings *settings, const SinoInput *input, const SinoSolver *solver,
                            int64_t worker_count, int64_t operator_bytes, SinoMemoryPlan *result)
{
    const Need need = {.settings = settings,
                       .input = input,
                       .solver = solver,
                       .worker_count = worker_count > 0 ? worker_count : sino_platform_core_count(),
                       .operator_bytes = operator_bytes
                                             ? operator_bytes
                                             : sino_operator_estimate_bytes(&input->geometry, settings->precision)};
    SinoMemoryPlan plan = {0};
    plan.budget_bytes = settings->memory_bytes ? settings->memory_bytes : sino_platform_available_bytes() / 10 * 8;
    plan.minibatch = settings->minibatch ? settings->minibatch : DEFAULT_MINIBATCH;
    if (plan.minibatch > input->slice_count) plan.minibatch = input->slice_count;
    balance(&need, &plan);
    /* Two slots per worker, so that some are stored or corrected while others compute; slabs of nearly equal size. */
    const int64_t minibatches = ceil_divide(input->slice_count, plan.minibatch);
    const int64_t slots = worker_count > 0 ? 2 * worker_count : 1;
    plan.slots = ceil_divide(minibatches, ceil_divide(minibatches, slots));
    /* Workers without a minibatch of their own share those there are. */
    plan.partition_count = settings->partitions ? settings->partitions : minibatches >= worker_count ? 1 : worker_count;
    SINO_TRY(shrink(&need, settings->minibatch > 0, &plan));
    *result = plan;
    return NULL;
}
