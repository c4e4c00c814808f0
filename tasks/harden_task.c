/* SPDX-License-Identifier: BSD-3-Clause */
/* Task harden: corrects the sinograms of one minibatch for beam hardening. */
#include "harden_task.h"

#include "task.h"

typedef struct Arguments {
    SinoHardening hardening;
    int64_t ray_count;
    SinoSlices slices;
} Arguments;

static SinoStatus harden_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_harden(&arguments->hardening, arguments->ray_count, arguments->slices, sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind harden_kind = {
    .name = "harden", .argument_bytes = sizeof(Arguments), .access_min = 1, .access_max = 1, .cpu = harden_cpu};

SinoStatus sino_insert_harden(SinoRuntime *runtime, SinoPosition position, const SinoHardening *hardening,
                              int64_t ray_count, SinoSlices slices, SinoData *sinogram)
{
    const Arguments arguments = {*hardening, ray_count, slices};
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &harden_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1,
                                               .work = (double)ray_count * (double)slices.stride,
                                               SINO_OF_SLICES(slices)});
}
