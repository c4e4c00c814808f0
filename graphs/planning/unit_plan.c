/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit plan: the memory and the time of a reconstruction whose units are in memory as a whole. */
#include "unit_plan.h"

#include "arithmetic.h"
#include "resources.h"

#include <math.h>
#include <string.h>

static SinoStatus count_bytes(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    const SinoInput *input = request->input;
    SINO_TRY(request->kind->bytes(request, plan));
    if (input)
        plan->bytes.loading =
            sino_load_field_bytes(sino_workload_fields(input), input->slice_count, sino_input_field_bytes(input, 1));
    plan->bytes.total += plan->bytes.loading;
    plan->total_bytes = sino_runtime_base_bytes() + plan->bytes.total + request->record_bytes;
    return NULL;
}

static SinoStatus measure(const SinoUnitPlanRequest *request, SinoUnitPlan *plan, bool *fits)
{
    bool fits_devices = true;
    SINO_TRY(count_bytes(request, plan));
    if (request->kind->fits_devices) SINO_TRY(request->kind->fits_devices(request, plan, &fits_devices));
    *fits = plan->total_bytes <= plan->budget_bytes && fits_devices;
    return NULL;
}

/* The window of scratch files gets the memory that is left. */
static void widen_window(SinoUnitPlan *plan)
{
    const int64_t more = sino_smaller(plan->budget_bytes - plan->total_bytes, plan->bytes.paged - plan->bytes.window);
    plan->bytes.window += more;
    plan->bytes.total += more;
    plan->total_bytes += more;
}

SinoStatus sino_unit_plan_new(const SinoUnitPlanRequest *request, SinoUnitPlan *result)
{
    const SinoUnitPlanKind *kind = request->kind;
    SinoUnitPlan plan = {.budget_bytes = request->machine.memory_bytes};
    bool fits;
    SINO_TRY(kind->widest(request, &plan));
    do SINO_TRY(measure(request, &plan, &fits));
    while (!fits && kind->narrow(request, &plan));
    if (!fits) return kind->refuse(request, &plan);
    if (plan.bytes.paged > 0) widen_window(&plan);
    *result = plan;
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

int64_t sino_unit_record_bytes(const SinoOutputSettings *settings, const SinoMachine *machine,
                               const SinoRecordShape *shape, int64_t slices)
{
    return sino_record_bytes(shape) +
           sino_workload_packing(settings, machine, slices, sino_times(shape->width, shape->height));
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
    times.iteration = fmax(times.read, times.products) + times.vectors + times.paging + times.exchange;
    if (request->kind->sweeps) times.start += times.iteration;
    times.run = times.load + times.start + (double)iterations * times.iteration + times.store;
    return times;
}

SinoAmounts sino_unit_list_times(const SinoUnitPlanKind *kind, const SinoUnitTimes *times)
{
    enum { READ = 2 };
    SinoAmounts list = {"seconds",
                        SINO_AMOUNT_SECONDS,
                        10,
                        {{"load", kind->sweeps ? "load and pack the matrix" : "load", times->load},
                         {"start", "before the iterations", times->start},
                         {"read", "matrix read, an iteration", times->read},
                         {"products", "products of an iteration", times->products},
                         {"vectors", "vectors of an iteration", times->vectors},
                         {"paging", "scratch files, an iteration", times->paging},
                         {"exchange", "sums over ranks, an iteration", times->exchange},
                         {"iteration", "an iteration", times->iteration},
                         {"store", "store", times->store},
                         {"run", "run", times->run}}};
    if (kind->sweeps) return list;
    list.count--;
    memmove(list.item + READ, list.item + READ + 1, (size_t)(list.count - READ) * sizeof *list.item);
    return list;
}
