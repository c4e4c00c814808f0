/* SPDX-License-Identifier: BSD-3-Clause */
/* Task air: normalises the sinograms of one minibatch to the light beside the object. */
#include "air_task.h"

#include "task.h"

typedef struct Arguments {
    SinoAir air;
    SinoSlices slices;
    const int64_t *place;
} Arguments;

static SinoStatus air_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_air_normalise(&arguments->air, arguments->slices, arguments->place, sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind air_kind = {
    .name = "air", .argument_bytes = sizeof(Arguments), .access_min = 1, .access_max = 1, .cpu = air_cpu};

SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air, SinoSlices slices,
                           const int64_t *place, SinoData *sinogram)
{
    const Arguments arguments = {*air, slices, place};
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}};
    return sino_task_submit(
        runtime, &air_kind,
        &(SinoTaskRequest){.position = position,
                           .arguments = &arguments,
                           .argument_bytes = sizeof arguments,
                           .access = access,
                           .access_count = 1,
                           .work = (double)air->angle_count * (double)air->column_count * (double)slices.stride,
                           SINO_OF_SLICES(slices)});
}
