/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks compare_sums and compare_likeness: how close two slices are. */
#include "compare_task.h"

#include "task.h"

#include <math.h>

typedef struct Arguments {
    const SinoCompareRequest *request;
    SinoComparison *comparison;
} Arguments;

static SinoStatus compare_sums_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoCompareRequest *request = arguments->request;
    const float *a = sino_task_buffer(task, 0), *b = sino_task_buffer(task, 1);
    SinoComparison *found = arguments->comparison;
    found->all = sino_pair_sums(request->region, request->width, a, b);
    found->object = request->object ? sino_pair_sums(request->object, request->width, a, b) : sino_pair_none();
    found->background =
        request->background ? sino_pair_sums(request->background, request->width, a, b) : sino_pair_none();
    return NULL;
}

static SinoStatus compare_likeness_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoCompareRequest *request = arguments->request;
    const float *a = sino_task_buffer(task, 0), *b = sino_task_buffer(task, 1);
    SinoComparison *found = arguments->comparison;
    if (request->range > 0)
        SINO_TRY(sino_similarity(request->region, request->width, request->range, a, b, &found->similarity));
    if (!isnan(request->scale))
        found->fit_error = sino_pair_fit_error(request->region, request->width, request->scale, request->offset, a, b);
    return found->rings ? sino_rings_sum(request->rings, a, b, found->rings) : NULL;
}

static const SinoTaskKind sums_kind = {.name = "compare_sums",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = 2,
                                       .access_max = 2,
                                       .cpu = compare_sums_cpu};
static const SinoTaskKind likeness_kind = {.name = "compare_likeness",
                                           .argument_bytes = sizeof(Arguments),
                                           .access_min = 2,
                                           .access_max = 2,
                                           .cpu = compare_likeness_cpu};

static SinoStatus submit(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoCompareRequest *request, SinoData *a,
                         SinoData *b, SinoComparison *comparison)
{
    const Arguments arguments = {.request = request, .comparison = comparison};
    const SinoAccess access[] = {{a, SINO_READ}, {b, SINO_READ}};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = SINO_NOWHERE,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2});
}

SinoStatus sino_insert_compare_sums(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a, SinoData *b,
                                    SinoComparison *comparison)
{
    return submit(runtime, &sums_kind, request, a, b, comparison);
}

SinoStatus sino_insert_compare_likeness(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a,
                                        SinoData *b, SinoComparison *comparison)
{
    return submit(runtime, &likeness_kind, request, a, b, comparison);
}
