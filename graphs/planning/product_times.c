/* SPDX-License-Identifier: BSD-3-Clause */
/* Product times: features of the tasks that a plan's products will be. */
#include "product_times.h"

#include "panel.h"

#include <math.h>

/* spmm_project or spmm_backproject of a partition of mean weight. */
static SinoTaskFeatures task_of(const SinoRunPlan *plan, const char *symbol)
{
    const SinoPrecision precision = plan->problem.precision;
    const SinoExtent *extent = plan->size.shape.extent;
    const int64_t partitions = sino_topology_partitions(&plan->division.topology);
    const int64_t stride = sino_panel_stride(precision, plan->streaming.minibatch);
    const double nonzeros = plan->size.nonzero_count / (double)partitions;
    const double footprint = extent[SINO_ROWS_PARTIAL].total > 0 ? (double)extent[SINO_ROWS_PARTIAL].total
                                                                 : (double)extent[SINO_ROWS_RAYS].total;
    const double rows = ((double)extent[SINO_ROWS_VOXELS].total + footprint) / (double)plan->partition_count;
    return (SinoTaskFeatures){.symbol = symbol,
                              .work = 2 * nonzeros * (double)stride,
                              .flops = 2 * nonzeros * (double)plan->streaming.minibatch,
                              .bytes = (int64_t)((double)plan->size.all_bytes / (double)partitions +
                                                 rows * (double)stride * (double)sino_precision_bytes(precision)),
                              .width = stride,
                              .precision = 1 + (int)precision};
}

SinoProductTimes sino_product_times(const SinoRunPlan *plan, const SinoTaskCosts *costs, unsigned device)
{
    static const char *const symbol[] = {"sinodag_spmm_project", "sinodag_spmm_backproject"};
    const double products = (double)sino_topology_partitions(&plan->division.topology);
    SinoProductTimes times = {.source = SINO_COST_FITTED};
    const bool asked = costs && sino_operator_of(plan->problem.projector)->stores && plan->window_count == 0;
    for (int direction = 0; asked && direction < 2; direction++) {
        const SinoTaskFeatures task = task_of(plan, symbol[direction]);
        SinoCostSource source;
        double error;
        const double task_s = sino_task_cost_s(costs, device, &task, &source, &error);
        times.product_s += task_s * products / (2 * (double)plan->streaming.minibatch);
        times.error = fmax(times.error, error);
        if (source == SINO_COST_RATE) times.source = SINO_COST_RATE;
    }
    return asked && times.source != SINO_COST_RATE ? times : (SinoProductTimes){.source = SINO_COST_RATE};
}
