/* SPDX-License-Identifier: BSD-3-Clause */
/* Task gaussian: smooths an image. */
#include "gaussian_task.h"

#include "task.h"

static SinoStatus gaussian_cpu(const SinoTask *task)
{
    return sino_gaussian(task->arguments, sino_task_buffer(task, 0));
}

static const SinoTaskKind gaussian_kind = {
    .name = "gaussian", .argument_bytes = sizeof(SinoGaussian), .access_min = 1, .access_max = 1, .cpu = gaussian_cpu};

SinoStatus sino_insert_gaussian(SinoRuntime *runtime, SinoPosition position, const SinoGaussian *gaussian,
                                SinoData *image)
{
    const SinoAccess access[] = {{image, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &gaussian_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = gaussian,
                                               .argument_bytes = sizeof *gaussian,
                                               .access = access,
                                               .access_count = 1});
}
