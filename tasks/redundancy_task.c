/* SPDX-License-Identifier: BSD-3-Clause */
/* Task redundancy: weights of the detector columns of one minibatch, for direct methods. */
#include "redundancy_task.h"

#include "task.h"

typedef struct Arguments {
    int64_t angle_count, column_count;
    SinoSlices slices;
    const double *weight;
} Arguments;

static SinoStatus redundancy_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_redundancy_weigh(arguments->angle_count, arguments->column_count, arguments->slices, arguments->weight,
                          sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind redundancy_kind = {
    .name = "redundancy", .argument_bytes = sizeof(Arguments), .access_min = 1, .access_max = 1, .cpu = redundancy_cpu};

SinoStatus sino_insert_redundancy(SinoRuntime *runtime, SinoPosition position, int64_t angle_count,
                                  int64_t column_count, SinoSlices slices, const double *weight, SinoData *sinogram)
{
    const Arguments arguments = {angle_count, column_count, slices, weight};
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &redundancy_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1,
                                               SINO_OF_SLICES(slices)});
}
