/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank speeds: from kept times to shares of the work. */
#include "projector_cost.h"

#include "memory.h"
#include "panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double step = 0.05;

/* Slices per second of `count` processors; 0: not known. */
static double speed_of(const SinoRunPlan *plan, const SinoTaskCosts *costs, unsigned kind, int64_t count)
{
    const SinoProductTimes times = sino_product_times(plan, costs, kind);
    return times.source == SINO_COST_RATE || !(times.product_s > 0) ? 0 : (double)count / times.product_s;
}

double sino_rank_speed(const SinoRunPlan *plan, const SinoTaskCosts *costs, unsigned kinds, int64_t cores,
                       int64_t devices)
{
    const unsigned kind = kinds & ~(unsigned)SINO_DEVICE_CPU;
    const bool by_cores = devices == 0 || (kinds & SINO_DEVICE_CPU);
    if (devices > 0 && (kind & (kind - 1))) return 0;
    const double of_cores = by_cores ? speed_of(plan, costs, SINO_DEVICE_CPU, cores) : 0;
    const double of_devices = devices > 0 ? speed_of(plan, costs, kind, devices) : 0;
    if ((by_cores && !(of_cores > 0)) || (devices > 0 && !(of_devices > 0))) return 0;
    return of_cores + of_devices;
}

static SinoStatus own_speed(const SinoRuntime *runtime, const SinoRunPlan *plan, double *speed)
{
    const int64_t devices = sino_runtime_device_count(runtime), workers = sino_runtime_worker_count(runtime);
    SinoMachineFile machine;
    SinoTaskCosts *costs = NULL;
    sino_machine_preset("here", &machine);
    SINO_TRY(sino_task_costs_open(sino_runtime_kept_models(runtime), &machine, &costs));
    *speed = sino_rank_speed(plan, costs, sino_runtime_devices(runtime), workers - devices, devices);
    sino_task_costs_free(costs);
    return NULL;
}

/* The last rank that does not know its speed; −1: all know. Speeds become weights, and *text their list. */
static int64_t weigh(int64_t count, double *speed, char *text, size_t size)
{
    double most = 0;
    size_t length = 0;
    int64_t unknown = -1;
    for (int64_t rank = 0; rank < count; rank++) {
        most = fmax(most, speed[rank]);
        if (!(speed[rank] > 0)) unknown = rank;
    }
    text[0] = '\0';
    for (int64_t rank = 0; unknown < 0 && rank < count; rank++) {
        speed[rank] = step * fmax(1, round(speed[rank] / (step * most)));
        if (length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%.3g", rank > 0 ? "," : "", speed[rank]);
    }
    return unknown;
}

SinoStatus sino_rank_speeds(const SinoRuntime *runtime, SinoProcesses *processes, const SinoRunPlan *plan,
                            double **weight)
{
    const int64_t count = sino_processes_count(processes);
    double own = 0, *all = NULL;
    char text[160];
    *weight = NULL;
    SinoStatus status = own_speed(runtime, plan, &own);
    if (!status) status = sino_allocate(count, sizeof *all, "speeds of ranks", &all);
    status = sino_processes_agree(processes, status);
    if (!status) status = sino_processes_gather(processes, sizeof own, &own, all);
    if (status || !all) {
        free(all);
        return status;
    }
    const int64_t unknown = weigh(count, all, text, sizeof text);
    if (unknown < 0) {
        sino_log_info(sino_runtime_log(runtime), "ranks", "weights by kept times: %s", text);
        *weight = all;
        return NULL;
    }
    sino_log_info(sino_runtime_log(runtime), "ranks",
                  "rank %" PRId64 " has kept no times of such products; --node-weights auto takes all ranks as alike",
                  unknown);
    free(all);
    return NULL;
}

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
