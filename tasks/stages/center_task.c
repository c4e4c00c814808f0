/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks center and center_entropy: metrics of candidates for the rotation center. */
#include "stages_tasks.h"

#include "task.h"

typedef struct Arguments {
    const SinoCenterVo *vo;           /* NULL: the entropy */
    const SinoCenterEntropy *entropy; /* NULL: Vo's metric */
    int64_t candidate_count;
    const double *candidate;
    double *metric;
} Arguments;

static SinoStatus center_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    if (arguments->entropy)
        return sino_center_entropy_metric(arguments->entropy, arguments->candidate_count, arguments->candidate,
                                          arguments->metric);
    return sino_center_vo_metric(arguments->vo, arguments->candidate_count, arguments->candidate, arguments->metric);
}

static const SinoTaskKind vo_kind = {.name = "center", .argument_bytes = sizeof(Arguments), .cpu = center_cpu};
static const SinoTaskKind entropy_kind = {
    .name = "center_entropy", .argument_bytes = sizeof(Arguments), .cpu = center_cpu};

SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric)
{
    const Arguments arguments = {
        .vo = vo, .candidate_count = candidate_count, .candidate = candidate, .metric = metric};
    return SINO_SUBMIT(runtime, &vo_kind, SINO_NOWHERE, &arguments, .work = (double)candidate_count);
}

SinoStatus sino_insert_center_entropy(SinoRuntime *runtime, const SinoCenterEntropy *entropy, int64_t candidate_count,
                                      const double *candidate, double *metric)
{
    const Arguments arguments = {
        .entropy = entropy, .candidate_count = candidate_count, .candidate = candidate, .metric = metric};
    return SINO_SUBMIT(runtime, &entropy_kind, SINO_NOWHERE, &arguments, .work = (double)candidate_count);
}
