/* SPDX-License-Identifier: BSD-3-Clause */
/* center: Vo's metric of some candidates for the rotation center. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    const SinoCenterVo *vo;
    int64_t candidate_count;
    const double *candidate;
    double *metric;
} Arguments;

static SinoStatus center(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_center_vo_metric(arguments->vo, arguments->candidate_count, arguments->candidate, arguments->metric);
}

SINO_CPU_FUNCTION(center_cpu, Arguments, center)
SINO_CODELET(codelet, "center", center_cpu)

SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric)
{
    const Arguments arguments = {.head = {.work = (double)candidate_count},
                                 .vo = vo,
                                 .candidate_count = candidate_count,
                                 .candidate = candidate,
                                 .metric = metric};
    return sino_task_submit(runtime, &codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 0, NULL);
}
