/* SPDX-License-Identifier: BSD-3-Clause */
/* filter: the ramp filter on a minibatch's line integrals. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    const SinoFilter *filter;
    int64_t angle_count;
    SinoSlices slices;
    const double *angle_weight;
} Arguments;

static SinoStatus filter(void *buffers[], const Arguments *arguments)
{
    sino_filter_run(arguments->filter, arguments->angle_count, arguments->slices, arguments->angle_weight,
                    sino_buffer(buffers, 0), sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(filter_cpu, Arguments, filter)
SINO_CODELET(codelet, "filter", filter_cpu)

SinoStatus sino_insert_filter(SinoRuntime *runtime, SinoPosition position, const SinoFilter *filter_plan,
                              int64_t angle_count, SinoSlices slices, const double *angle_weight, SinoData *scratch,
                              SinoData *sinogram)
{
    const Arguments arguments = {
        .filter = filter_plan, .angle_count = angle_count, .slices = slices, .angle_weight = angle_weight};
    const SinoAccess access[] = {{scratch, STARPU_SCRATCH}, {sinogram, STARPU_RW}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 2, access);
}
