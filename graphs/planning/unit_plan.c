/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit plan: the memory and the time of a reconstruction whose units are in memory as a whole. */
#include "unit_plan.h"

#include "resources.h"

#include <math.h>

/* A plan in the making. */
typedef struct Planning {
    const SinoUnitPlanRequest *request;
    SinoUnitPlan plan;
} Planning;

static SinoStatus count_bytes(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    SINO_TRY(request->kind->bytes(request, plan));
    plan->total_bytes = sino_runtime_base_bytes() + plan->bytes.total + request->record_bytes;
    return NULL;
}

static SinoStatus measure(void *of, SinoPlanNeed *need)
{
    Planning *planning = of;
    const SinoUnitPlanRequest *request = planning->request;
    SINO_TRY(count_bytes(request, &planning->plan));
    *need = (SinoPlanNeed){planning->plan.total_bytes, planning->plan.budget_bytes, true};
    return request->kind->fits_devices ? request->kind->fits_devices(request, &planning->plan, &need->fits_devices)
                                       : NULL;
}

static bool narrow(void *of)
{
    Planning *planning = of;
    return planning->request->kind->narrow(planning->request, &planning->plan);
}

SinoStatus sino_unit_plan_new(const SinoUnitPlanRequest *request, SinoUnitPlan *result)
{
    SinoPlanNeed need;
    Planning planning = {.request = request, .plan.budget_bytes = request->machine.memory_bytes};
    request->kind->widest(request, &planning.plan);
    SINO_TRY(sino_plan_fit(measure, narrow, &planning, &need));
    if (!sino_plan_fits(&need)) return request->kind->refuse(request, &need, &planning.plan);
    *result = planning.plan;
    return NULL;
}

SinoStatus sino_unit_plan_least_bytes(const SinoUnitPlanRequest *request, int64_t *bytes)
{
    SinoUnitPlan plan = {0};
    request->kind->least(request, &plan);
    SINO_TRY(count_bytes(request, &plan));
    *bytes = plan.total_bytes;
    return NULL;
}

double sino_unit_sums_seconds(const SinoUnitPlanRequest *request, double elements, int64_t count)
{
    const SinoRates *rates = &request->machine.rates;
    const double ranks = (double)request->rank_count, others = ranks - 1;
    if (request->rank_count <= 1) return 0;
    return (double)count * 2 *
           (sizeof(float) * elements * others / ranks / (1e9 * rates->link_gbps) +
            1e-6 * rates->link_latency_us * others);
}

SinoUnitTimes sino_unit_plan_times(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, int64_t iterations)
{
    SinoUnitTimes times = request->kind->times(request, plan);
    times.iteration = fmax(times.read, times.products) + times.vectors + times.exchange;
    if (request->kind->sweeps_first) times.start += times.iteration;
    times.run = times.load + times.start + (double)iterations * times.iteration + times.store;
    return times;
}
