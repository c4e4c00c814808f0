/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cost: the choice between measurements, curves and rates. */
#include "task_cost.h"

#include "device.h"
#include "memory.h"
#include "precision.h"

#include <math.h>
#include <stdlib.h>

struct SinoTaskCosts {
    SinoMachineFile machine;
};

const char *sino_cost_source_name(SinoCostSource source)
{
    static const char *const name[SINO_COST_SOURCES] = {
        [SINO_COST_MEASURED] = "measured", [SINO_COST_FITTED] = "fitted", [SINO_COST_RATE] = "rate"};
    return name[source];
}

/* Rates of the machine's processors of a kind; NULL: it has none. */
static const SinoProcessorRates *rates_of(const SinoMachineFile *machine, unsigned device)
{
    if (device == SINO_DEVICE_CPU) return &machine->core;
    return machine->device_count > 0 && machine->device_kind == device ? &machine->device : NULL;
}

/* A register has half as many doubles. */
static double flops_per_single(int precision)
{
    return precision == 1 + SINO_DOUBLE ? 2 : 1;
}

static double rate_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task)
{
    const SinoProcessorRates *rates = rates_of(&costs->machine, device);
    if (!rates) return INFINITY;
    const double compute_s = task->flops * flops_per_single(task->precision) / (1e9 * rates->gflops);
    const double move_s = (double)task->bytes / (1e9 * rates->memory_gbps);
    return 1e-6 * rates->task_us + fmax(compute_s, move_s);
}

double sino_task_cost_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task,
                        SinoCostSource *source, double *error)
{
    const double rate_error = 1; /* a factor of two */
    if (source) *source = SINO_COST_RATE;
    if (error) *error = rate_error;
    return rate_s(costs, device, task);
}

SinoStatus sino_task_costs_open(const char *directory, const SinoMachineFile *machine, SinoTaskCosts **costs)
{
    SinoTaskCosts *made;
    (void)directory;
    SINO_TRY(sino_allocate(1, sizeof *made, "times of tasks", &made));
    made->machine = *machine;
    *costs = made;
    return NULL;
}

void sino_task_costs_free(SinoTaskCosts *costs)
{
    free(costs);
}
