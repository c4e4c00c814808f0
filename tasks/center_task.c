/* SPDX-License-Identifier: BSD-3-Clause */
/* Task center: Vo's metric of candidates for the rotation center. */
#include "center_task.h"

#include "task.h"

typedef struct Arguments {
    const SinoCenterVo *vo;
    int64_t candidate_count;
    const double *candidate;
    double *metric;
} Arguments;

static SinoStatus center_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_center_vo_metric(arguments->vo, arguments->candidate_count, arguments->candidate, arguments->metric);
}

static const SinoTaskKind center_kind = {.name = "center", .argument_bytes = sizeof(Arguments), .cpu = center_cpu};

SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric)
{
    const Arguments arguments = {
        .vo = vo, .candidate_count = candidate_count, .candidate = candidate, .metric = metric};
    return sino_task_submit(runtime, &center_kind,
                            &(SinoTaskRequest){.position = SINO_NOWHERE,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .work = (double)candidate_count});
}
