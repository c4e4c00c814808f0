/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks complete and redundancy: projections of a half acquisition, for direct methods. */
#include "redundancy_task.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoCompletion {
    SinoRuntime *runtime; /* not owned */
    SinoRedundancy *redundancy;
};

typedef struct Arguments {
    const SinoRedundancy *redundancy;
    SinoSlices slices;
} Arguments;

SinoStatus sino_completion_new(SinoRuntime *runtime, const SinoGeometry *geometry, const int64_t *place,
                               SinoCompletion **completion)
{
    SinoCompletion *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "the half acquisition", &made));
    made->runtime = runtime;
    SinoStatus status = sino_redundancy_new(geometry, place, &made->redundancy);
    if (status)
        sino_completion_free(made);
    else
        *completion = made;
    return status;
}

void sino_completion_free(SinoCompletion *completion)
{
    if (!completion) return;
    sino_redundancy_free(completion->redundancy);
    free(completion);
}

static SinoStatus complete_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_redundancy_complete(arguments->redundancy, arguments->slices, sino_task_buffer(task, 0),
                             sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus redundancy_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_redundancy_weigh(arguments->redundancy, arguments->slices, sino_task_buffer(task, 0),
                          sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind complete_kind = {
    .name = "complete", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = complete_cpu};

static const SinoTaskKind redundancy_kind = {
    .name = "redundancy", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = redundancy_cpu};

static SinoStatus insert(const SinoTaskKind *kind, const SinoCompletion *completion, SinoPosition position,
                         SinoSlices slices, SinoData *from, SinoData *to)
{
    const Arguments arguments = {completion->redundancy, slices};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_WRITE}};
    return sino_task_submit(completion->runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               SINO_OF_SLICES(slices)});
}

SinoStatus sino_insert_complete(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                SinoData *sinogram, SinoData *completed)
{
    return insert(&complete_kind, completion, position, slices, sinogram, completed);
}

SinoStatus sino_insert_redundancy(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                  SinoData *completed, SinoData *sinogram)
{
    return insert(&redundancy_kind, completion, position, slices, completed, sinogram);
}
